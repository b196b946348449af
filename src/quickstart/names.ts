/** Invented names and titles of the sample companies. No name belongs to a person. */

export const owners = [
  "Mara Lindqvist",
  "Jonas Okafor",
  "Priya Ramanathan",
  "Elise Fontaine",
  "Daniel Kowalski",
];

export const firstNames =
  "Ada Amir Bea Carlos Chloe Dmitri Elena Farid Grace Hugo Ines Ivan Jana Kofi Lena Marco Mei Nadia Omar Paula Quinn Rosa Samir Tara Ugo Vera Wim Yara Zoe Theo Lucia Noah Anneke Bruno Carmen Derek Esther Femi Gita Henrik Imani Jorge Katrin Leo Maya Nils Olga Pavel Ravi Selma Tomas Yusuf".split(
    " ",
  );
export const lastNames =
  "Abbott Almeida Bauer Castellan Dahl Eriksen Farrow Grunwald Haddad Ivarsson Jansen Kimura Laurent Marsh Nilsson Ortega Petrov Quigley Rossi Sandoval Tanaka Underhill Vasquez Whitfield Yilmaz Zeller Moreau Osei Acosta Bennett Chowdhury Delgado Engel Fischer Garnier Hoffman Ibarra Jensen Kovacs Lundgren Mendez Novak Olsen Pereira Reyes Schmid Torres Ueda Vance Weber Young Zhou".split(
    " ",
  );
export const roles = [
  "Head of Operations",
  "IT Manager",
  "Finance Director",
  "Product Lead",
  "Support Manager",
];

/** After the kickoff. */
export const meetingTitles = [
  "Quarterly business review",
  "Training for new users",
  "Check-in",
  "Roadmap preview",
  "Workshop: reports for managers",
  "Review of open requests",
];

export const requestTitles = [
  "Single sign-on with SAML",
  "Export reports to a spreadsheet",
  "Audit log of administrators",
  "Dashboards load slowly on Mondays",
  "Read-only role for auditors",
  "Reports by e-mail every week",
  "Two-factor sign-in for all users",
  "Bulk edit of users",
  "Wrong totals after a refund",
  "Higher API limit for the nightly import",
  "Custom fields on orders",
  "Sandbox for tests",
  "Calendar sync",
  "Mobile app loses drafts",
  "Invoices by department",
  "German user interface",
];

/** External ids that no account has. */
export const unmatchedIds = ["NEWCO", "trial-20418", "Acme Ltd"];
