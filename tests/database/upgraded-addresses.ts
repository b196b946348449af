/** SQL of contacts whose addresses were folded as names are, as before the migration `persons`. */
export const contactsBefore = `
  INSERT INTO organizations (id, name, folded_name, created_at) VALUES (1, 'a', 'a', 0), (2, 'b', 'b', 0);
  INSERT INTO accounts (id, organization_id, name, folded_name, mrr, status, created_at, updated_at) VALUES
    (1, 1, 'a', 'a', 0, 'active', 0, 0), (2, 1, 'b', 'b', 0, 'active', 0, 0), (3, 2, 'c', 'c', 0, 'active', 0, 0);
  INSERT INTO account_counts (organization_id, status, tier, count, scaled_mrr, mrr_error) VALUES
    (1, 'active', 'none', 2, 0, 0), (2, 'active', 'none', 1, 0, 0);
  INSERT INTO contacts (id, organization_id, account_id, name, folded_name, email, folded_email, created_at, updated_at) VALUES
    (1, 1, 1, 'n', 'n', 'Ada@X.io', 'ada@x.io', 0, 0),
    (2, 1, 1, 'n', 'n', NULL, NULL, 0, 0),
    (3, 1, 1, 'n', 'n', 'Straße@x.io', 'strasse@x.io', 0, 0),
    (4, 1, 1, 'n', 'n', 'É@x.io', 'é@x.io', 0, 0),
    (5, 1, 1, 'n', 'n', 'info@müller.de', 'info@müller.de', 0, 0),
    (6, 1, 1, 'n', 'n', 'info@XN--mller-kva.de', 'info@xn--mller-kva.de', 0, 0),
    (7, 1, 2, 'n', 'n', 'info@MÜLLER.de', 'info@müller.de', 0, 0),
    (8, 1, 2, 'n', 'n', 'info@ｍüller.de', 'info@ｍüller.de', 0, 0),
    (9, 1, 2, 'n', 'n', 'info@müller。de', 'info@müller。de', 0, 0),
    (10, 2, 3, 'n', 'n', 'fix@müller.de', 'fix@müller.de', 0, 0),
    (11, 2, 3, 'n', 'n', 'ﬁx@xn--mller-kva.de', 'fix@xn--mller-kva.de', 0, 0),
    (12, 2, 3, 'n', 'n', 'a@Ü/x', 'a@ü/x', 0, 0);`;

/** The folded addresses of these contacts after the migration, by id. */
export const foldedAfter = [
  [1, "ada@x.io"],
  [2, null],
  [3, "straße@x.io"],
  [4, "é@x.io"],
  [5, "info@xn--mller-kva.de 5"],
  [6, "info@xn--mller-kva.de"],
  [7, "info@xn--mller-kva.de"],
  [8, "info@xn--mller-kva.de 8"],
  [9, "info@xn--mller-kva.de 9"],
  [10, "fix@xn--mller-kva.de"],
  [11, "ﬁx@xn--mller-kva.de"],
  [12, "a@ü/x"],
] as const;

const shared = (account: number, contact: number) =>
  `organization 1, account ${account}, contact ${contact}: another contact of the account had the same address at an upgrade`;
/** What `accountd check` prints of them. */
export const sharedAfter = [shared(1, 5), shared(2, 8), shared(2, 9)];
