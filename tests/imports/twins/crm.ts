import type { Twin } from "./twin.ts";

/** Accounts of systems for customer relationships. */
export const crmTwins: readonly Twin[] = [
  {
    kind: "HubSpot companies",
    file: `"Record ID","Company name","Company owner","Create Date","Phone Number","Last Activity Date","City","Country/Region","Industry"
"15728941234","Alder, Birch & Co.","Erin Olin (erin@seller.example)","2024-11-02 09:14","+1 (415) 555-0123","2025-10-30 16:02","Berlin","Germany","COMPUTER_SOFTWARE"
"9007199254740993","Müller GmbH","","2024-01-07 10:00","","","Köln","Germany",""
`,
    options: { map: "Last Activity Date=contactActivityAt,Industry=attributes.industry" },
    mapping: {
      "Record ID": "externalId",
      "Company name": "name",
      "Last Activity Date": "contactActivityAt",
      Industry: "attributes.industry (string)",
    },
    rows: [
      {
        externalId: "15728941234",
        name: "Alder, Birch & Co.",
        contactActivityAt: "2025-10-30T16:02:00.000Z",
        attributes: { industry: "COMPUTER_SOFTWARE" },
      },
      { externalId: "9007199254740993", name: "Müller GmbH" },
    ],
  },
  {
    kind: "Salesforce report of accounts",
    file: `"Account Owner","Account Name","Account ID","Type","Rating","Last Activity","Annual Revenue"
"Erin Olin","Alder","0015g00000ABcDe","Customer","Hot","10/30/2025","$1,250,000.00"
"Erin Olin","Birch","0015g00000ABcdE","Customer","","","$900.50"

"Accounts of the fourth quarter"
"Copyright (c) 2000-2025 salesforce.com, inc. All rights reserved."
`,
    options: {
      map: "Last Activity=contactActivityAt,Annual Revenue=attributes.annualRevenue",
    },
    mapping: {
      "Account Name": "name",
      "Account ID": "externalId",
      "Last Activity": "contactActivityAt",
      "Annual Revenue": "attributes.annualRevenue (number)",
    },
    formats: { decimal: "point", dates: "mdy" },
    rows: [
      {
        externalId: "0015g00000ABcDe",
        name: "Alder",
        contactActivityAt: "2025-10-30T00:00:00.000Z",
        attributes: { annualRevenue: 1_250_000 },
      },
      { externalId: "0015g00000ABcdE", name: "Birch", attributes: { annualRevenue: 900.5 } },
    ],
    rejected: [
      [5, "the line has no externalId"],
      [6, "the line has no externalId"],
    ],
  },
  {
    kind: "Pipedrive organizations",
    file: `Organization - ID,Organization - Name,Organization - Label,Organization - Address,Organization - People,Organization - Open deals
12,Alder,Customer,"Main Street 1, Berlin",3,1
7,Birch,,,0,0
`,
    mapping: { "Organization - ID": "externalId", "Organization - Name": "name" },
    rows: [
      { externalId: "12", name: "Alder" },
      { externalId: "7", name: "Birch" },
    ],
  },
  {
    kind: "Zoho CRM accounts",
    file: `Record Id,Account Owner.id,Account Owner,Rating,Account Name,Phone,Website,Annual Revenue,Created Time
zcrm_5565950000000365001,zcrm_5565950000000261001,Erin Olin,Active,Alder,0049 30 123456,https://alder.example,0,2024-04-07 11:30:00
zcrm_5565950000000365002,zcrm_5565950000000261001,Erin Olin,,Birch,,,12500,2024-04-08 08:00:00
`,
    mapping: { "Record Id": "externalId", "Account Name": "name" },
    rows: [
      { externalId: "zcrm_5565950000000365001", name: "Alder" },
      { externalId: "zcrm_5565950000000365002", name: "Birch" },
    ],
  },
  {
    kind: "Attio companies",
    file: `Record ID,Company > Name,Company > Domains,Company > Categories,Company > Estimated ARR,Company > Last interaction
0f1c7a52-7f3e-4c53-9d2e-6a1f0a5b0c01,Alder,alder.example,"SaaS, B2B",$1M-$10M,2025-11-02T10:20:30.000000000Z
0f1c7a52-7f3e-4c53-9d2e-6a1f0a5b0c02,Birch,birch.example,,,
`,
    options: { map: "Company > Name=name,Company > Last interaction=contactActivityAt" },
    mapping: {
      "Record ID": "externalId",
      "Company > Name": "name",
      "Company > Last interaction": "contactActivityAt",
    },
    rows: [
      {
        externalId: "0f1c7a52-7f3e-4c53-9d2e-6a1f0a5b0c01",
        name: "Alder",
        contactActivityAt: "2025-11-02T10:20:30.000Z",
      },
      { externalId: "0f1c7a52-7f3e-4c53-9d2e-6a1f0a5b0c02", name: "Birch" },
    ],
  },
  {
    kind: "Dynamics 365 accounts",
    file: `(Do Not Modify) Account,(Do Not Modify) Row Checksum,(Do Not Modify) Modified On,Account Name,Main Phone,Address 1: City,Primary Contact,Email (Primary Contact),Status
8da6e5b9-88df-e311-b8e5-6c3be5a8b200,Xy+/3qKzRk==,11/2/2025 9:15 AM,Alder,425-555-0156,Renton,Yvonne Adler,yvonne@alder.example,Active
8ea6e5b9-88df-e311-b8e5-6c3be5a8b200,Ab+/9qKzRk==,11/20/2025 3:00 PM,Birch,,,,,Inactive
`,
    options: { map: "(Do Not Modify) Account=externalId" },
    mapping: { "(Do Not Modify) Account": "externalId", "Account Name": "name", Status: "status" },
    rows: [
      { externalId: "8da6e5b9-88df-e311-b8e5-6c3be5a8b200", name: "Alder" },
      { externalId: "8ea6e5b9-88df-e311-b8e5-6c3be5a8b200", name: "Birch", status: "inactive" },
    ],
  },
  {
    kind: "SugarCRM accounts",
    file: `"Name","ID","Website","Office Phone","Email Address","Industry","Type","Date Created","Date Modified","Annual Revenue","Deleted"
"Alder","b1f7d9c6-6c5e-11ee-8c99-0242ac120002","https://alder.example","(030) 123456","info@alder.example","Banking","Customer","2024-03-01 08:00","2025-10-01 09:00","1,200,000","0"
"Birch","b1f7d9c6-6c5e-11ee-8c99-0242ac120003","","","","","Customer","2024-03-02 08:00","2025-10-02 09:00","","0"
`,
    mapping: { Name: "name", ID: "externalId" },
    rows: [
      { externalId: "b1f7d9c6-6c5e-11ee-8c99-0242ac120002", name: "Alder" },
      { externalId: "b1f7d9c6-6c5e-11ee-8c99-0242ac120003", name: "Birch" },
    ],
  },
];
