import { requests } from "../requests.ts";
import { type Organizations, type Work, works } from "../work.ts";

/** The number of organizations that `create-64-organizations` writes to, each on about one connection. */
const organizationCount = 64;

const names = [
  ...["get", "list", "far-page", "rare-status", "search-frequent", "search-rare", "search-absent"],
  ...["create-1", "create-64", "create-64-organizations", "update-1", "update", "mix"],
  ...["events-1", "events", "events-64"],
];
/** The works that are measured again while each flush takes 1 ms longer. */
const flushed = ["create-1", "create-64", "create-64-organizations", "update", "events"];

/** The works on PostgreSQL: those of SQLite, creates in many organizations, and writes with slow flushes. */
export function postgresWorks(data: Organizations): Work[] {
  const known = [...works(data), createInOrganizations(data)];
  const all = names.flatMap((name) => known.find((work) => work.name === name) ?? []);
  const again = all.filter(({ name }) => flushed.includes(name));
  return [...all, ...again.map(withSlowFlush)];
}

function createInOrganizations({ organizations: { small } }: Organizations): Work {
  const organizations = small.slice(0, organizationCount);
  const request = (n: number) => {
    const organization = organizations[n % organizations.length];
    if (!organization) throw new Error("the data has no small organization");
    return requests.create(organization, n, "o64");
  };
  return {
    name: "create-64-organizations",
    title: "create, 64 organizations",
    streams: [{ connections: 64, request }],
  };
}

function withSlowFlush(work: Work): Work {
  return { ...work, name: `${work.name}@flush`, title: `${work.title}, +1 ms`, hasSlowFlush: true };
}
