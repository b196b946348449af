import { requests } from "../requests.ts";
import { type Organizations, type Requirement, type Work, works } from "../work.ts";

/** The number of organizations that `create-64-organizations` writes to, each on about one connection. */
const organizationCount = 64;

const timesFastify = (atLeast: number): Requirement => ({ atLeast, of: "fastify" });
const search = [timesFastify(1), { p99: 20 }];
const requirements: Record<string, Requirement[]> = {
  get: [timesFastify(1.2)],
  list: [timesFastify(8)],
  "far-page": [],
  "rare-status": [],
  "search-frequent": search,
  "search-rare": search,
  "search-absent": search,
  "search-letter": search,
  "create-1": [],
  "create-64": [timesFastify(2.5)],
  "create-64-organizations": [timesFastify(1.8)],
  update: [],
  mix: [],
  events: [timesFastify(2)],
};
/** The works that are measured again while each flush takes 1 ms longer. */
const flushed = ["create-1", "create-64", "create-64-organizations", "update", "events"];

/** The works on PostgreSQL: those of SQLite, creates in many organizations, and writes with slow flushes. */
export function postgresWorks(data: Organizations): Work[] {
  const known = new Map([...works(data), createInOrganizations(data)].map((work) => [work.name, work]));
  const all = Object.entries(requirements).flatMap(([name, own]): Work[] => {
    const work = known.get(name);
    return work ? [{ ...work, requirements: own }] : [];
  });
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
    requirements: [],
  };
}

function withSlowFlush(work: Work): Work {
  return { ...work, name: slowFlushNameOf(work.name), title: `${work.title}, +1 ms`, hasSlowFlush: true };
}

/** The name of a work with slow flushes. */
export function slowFlushNameOf(name: string): string {
  return `${name}@flush`;
}
