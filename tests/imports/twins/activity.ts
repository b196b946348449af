import type { Twin } from "./twin.ts";

/** Requests, meetings and days of usage. */
export const activityTwins: readonly Twin[] = [
  {
    kind: "Zendesk tickets",
    resource: "requests",
    accounts: ["Alder"],
    file: `Summation column,Id,Requester,Requester id,Requester external id,Requester email,Subject,Tags,Status,Priority,Via,Ticket type,Created at,Updated at,Organization,Solved at
1,4711,Ada Byron,99,u-1,ada@alder.example,"Export, please",eu,Open,High,Web,Question,2025-10-01 10:20,2025-10-02 10:20,Alder,
1,4712,Ada Byron,99,u-1,ada@alder.example,Broken login,,Solved,Urgent,Mail,Problem,2025-10-03 10:20,2025-10-04 10:20,Alder,2025-10-04 09:00
`,
    options: {
      map: "Organization=accountExternalId,Priority=severity",
      values: "Status: Solved=Done; Priority: Urgent=5, High=4, Normal=3, Low=2",
    },
    mapping: {
      Id: "externalId",
      Subject: "title",
      Status: "status",
      Priority: "severity",
      "Created at": "requestedAt",
      Organization: "accountExternalId",
      "Solved at": "resolvedAt",
    },
    rows: [
      {
        ...{ externalId: "4711", accountExternalId: "Alder", title: "Export, please", severity: 4 },
        requestedAt: "2025-10-01T10:20:00.000Z",
      },
      {
        ...{ externalId: "4712", accountExternalId: "Alder", title: "Broken login", severity: 5 },
        ...{ status: "Done", requestedAt: "2025-10-03T10:20:00.000Z" },
        resolvedAt: "2025-10-04T09:00:00.000Z",
      },
    ],
  },
  {
    kind: "Jira issues",
    resource: "requests",
    accounts: ["alder"],
    file: `Summary,Issue key,Issue id,Issue Type,Status,Priority,Assignee,Created,Updated,Resolved,Labels,Labels,Custom field (Customer)
Single sign-on,PROJ-1,10001,Story,In Progress,High,Erin Olin,09/Oct/25 1:42 PM,10/Oct/25 9:00 AM,,eu,sso,alder
Export to Excel,PROJ-2,10002,Story,Done,Low,,01/Sep/25 12:05 AM,02/Oct/25 9:00 AM,02/Oct/25 9:00 AM,,,alder
`,
    options: {
      map: "Custom field (Customer)=accountExternalId",
      values: "Status: In Progress=Started",
    },
    mapping: {
      Summary: "title",
      "Issue key": "externalId",
      Status: "status",
      Created: "requestedAt",
      Resolved: "resolvedAt",
      "Custom field (Customer)": "accountExternalId",
    },
    rows: [
      {
        ...{ externalId: "PROJ-1", accountExternalId: "alder", title: "Single sign-on", status: "Started" },
        requestedAt: "2025-10-09T13:42:00.000Z",
      },
      {
        ...{ externalId: "PROJ-2", accountExternalId: "alder", title: "Export to Excel", status: "Done" },
        ...{ requestedAt: "2025-09-01T00:05:00.000Z", resolvedAt: "2025-10-02T09:00:00.000Z" },
      },
    ],
  },
  {
    kind: "GitHub issues",
    resource: "requests",
    accounts: ["alder"],
    file: `number,title,state,author,customer,createdAt,closedAt,url
17,"Support ""SSO""",OPEN,ada,alder,2025-10-09T13:42:00Z,,https://git.example/i/17
18,Export,CLOSED,bo,alder,2025-10-10T13:42:00Z,2025-10-12T13:42:00Z,https://git.example/i/18
`,
    options: {
      map: "number=externalId,state=status,customer=accountExternalId",
      values: "state: CLOSED=Done",
    },
    mapping: {
      number: "externalId",
      title: "title",
      state: "status",
      customer: "accountExternalId",
      createdAt: "requestedAt",
      closedAt: "resolvedAt",
    },
    rows: [
      {
        ...{ externalId: "17", accountExternalId: "alder", title: 'Support "SSO"' },
        requestedAt: "2025-10-09T13:42:00.000Z",
      },
      {
        ...{ externalId: "18", accountExternalId: "alder", title: "Export", status: "Done" },
        ...{ requestedAt: "2025-10-10T13:42:00.000Z", resolvedAt: "2025-10-12T13:42:00.000Z" },
      },
    ],
  },
  {
    kind: "Calendly events",
    resource: "meetings",
    accounts: ["A-1"],
    file: `Event ID,Event Type Name,Start Date & Time,End Date & Time,Event Created Date & Time,Invitee Name,Invitee Email,Location,Canceled,UTM Campaign
ev-1,Quarterly review,2025-06-01 09:30 am,2025-06-01 10:00 am,2025-05-20 11:00 am,Ada Byron,ada@alder.example,Video,false,A-1
ev-2,Onboarding,2025-06-02 02:00 pm,2025-06-02 03:00 pm,2025-05-21 11:00 am,Ada Byron,ada@alder.example,Video,false,A-1
`,
    options: { map: "Event Type Name=title,UTM Campaign=accountExternalId" },
    mapping: {
      "Event ID": "externalId",
      "Event Type Name": "title",
      "Start Date & Time": "startAt",
      "End Date & Time": "endAt",
      "UTM Campaign": "accountExternalId",
    },
    rows: [
      {
        ...{ externalId: "ev-1", accountExternalId: "A-1", title: "Quarterly review" },
        ...{ startAt: "2025-06-01T09:30:00.000Z", endAt: "2025-06-01T10:00:00.000Z" },
      },
      {
        ...{ externalId: "ev-2", accountExternalId: "A-1", title: "Onboarding" },
        ...{ startAt: "2025-06-02T14:00:00.000Z", endAt: "2025-06-02T15:00:00.000Z" },
      },
    ],
  },
  {
    kind: "Google Calendar in a sheet",
    resource: "meetings",
    accounts: ["A-1"],
    file: `Event ID\tTitle\tStart\tEnd\tAccount ID\tContact ID
x1@calendar.example\tReview\t31/10/2025 09:30:00\t31/10/2025 10:00:00\tA-1\tc-1
x2@calendar.example\tKick-off\t02/11/2025 14:00:00\t02/11/2025 15:00:00\tA-1\tc-1
`,
    mapping: {
      "Event ID": "externalId",
      Title: "title",
      Start: "startAt",
      End: "endAt",
      "Account ID": "accountExternalId",
    },
    formats: { dates: "dmy" },
    rows: [
      {
        ...{ externalId: "x1@calendar.example", accountExternalId: "A-1", title: "Review" },
        ...{ startAt: "2025-10-31T09:30:00.000Z", endAt: "2025-10-31T10:00:00.000Z" },
      },
      {
        ...{ externalId: "x2@calendar.example", accountExternalId: "A-1", title: "Kick-off" },
        ...{ startAt: "2025-11-02T14:00:00.000Z", endAt: "2025-11-02T15:00:00.000Z" },
      },
    ],
  },
  {
    kind: "Mixpanel daily counts",
    resource: "usage-days",
    accounts: ["A-1", "A-2"],
    file: `Date,Event,company_id,Total,Uniques
2025-10-30T00:00:00,Report Viewed,A-1,14,3
2025-10-31T00:00:00,Report Viewed,A-2,1,1
`,
    mapping: { Date: "day", Event: "event", company_id: "externalId", Total: "count", Uniques: "users" },
    rows: [
      { externalId: "A-1", event: "Report Viewed", day: "2025-10-30", count: 14, users: 3 },
      { externalId: "A-2", event: "Report Viewed", day: "2025-10-31", count: 1, users: 1 },
    ],
  },
  {
    kind: "Amplitude daily counts",
    resource: "usage-days",
    accounts: ["A-1", "A-2"],
    file: `event_type,event_date,account_id,event_count,user_count
login,10/30/2025,A-1,"1,204",40
login,10/31/2025,A-2,17,2
`,
    options: { decimal: "point" },
    mapping: {
      event_type: "event",
      event_date: "day",
      account_id: "externalId",
      event_count: "count",
      user_count: "users",
    },
    formats: { decimal: "point", dates: "mdy" },
    rows: [
      { externalId: "A-1", event: "login", day: "2025-10-30", count: 1_204, users: 40 },
      { externalId: "A-2", event: "login", day: "2025-10-31", count: 17, users: 2 },
    ],
  },
];
