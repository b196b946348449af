import type { Twin } from "./twin.ts";

/** Accounts of systems for billing and support. */
export const billingTwins: readonly Twin[] = [
  {
    kind: "Stripe customers",
    file: `id,Description,Email,Name,Created (UTC),Delinquent,Card ID,Plan,Status,Total Spend,Payment Count
cus_Qx1AbCdEfGh123,,billing@alder.example,Alder,2024-02-03 10:11,false,,pro,active,1250.50,12
cus_Qx1abCdEfGh123,"Birch, monthly",billing@birch.example,Birch,2024-03-04 08:00,true,card_1Ab,basic,past_due,49.00,1
`,
    options: { map: "Plan=attributes.plan", values: "Status: past_due=active" },
    mapping: {
      id: "externalId",
      Name: "name",
      Plan: "attributes.plan (string)",
      Status: "status",
    },
    rows: [
      { externalId: "cus_Qx1AbCdEfGh123", name: "Alder", attributes: { plan: "pro" } },
      { externalId: "cus_Qx1abCdEfGh123", name: "Birch", attributes: { plan: "basic" } },
    ],
  },
  {
    kind: "Stripe subscriptions",
    file: `id,Customer ID,Customer Description,Customer Email,Customer Name,Plan,Quantity,Currency,Interval,Amount,Status,Created (UTC),Canceled At (UTC)
sub_1A,cus_1,,billing@alder.example,Alder,price_1,1,usd,month,49.00,active,2024-02-03 10:11,
sub_1B,cus_2,,billing@birch.example,Birch,price_2,2,usd,month,"1,098.00",trialing,2025-11-01 08:00,
sub_1C,cus_3,,billing@cedar.example,Cedar,price_1,1,usd,month,49.00,canceled,2024-01-01 08:00,2025-05-01 00:00
sub_1D,cus_1,,billing@alder.example,Alder,price_3,1,usd,month,10.00,active,2025-02-03 10:11,
`,
    options: { map: "Amount=mrr", values: "Status: trialing=onboarding, canceled=churned" },
    mapping: { "Customer ID": "externalId", "Customer Name": "name", Amount: "mrr", Status: "status" },
    formats: { decimal: "point" },
    rows: [
      { externalId: "cus_1", name: "Alder", mrr: 49 },
      { externalId: "cus_2", name: "Birch", mrr: 1_098, status: "onboarding" },
      { externalId: "cus_3", name: "Cedar", mrr: 49, status: "churned" },
    ],
    rejected: [[5, "line 2 has the same externalId"]],
  },
  {
    kind: "Chargebee customers",
    file: `Customer Id,First Name,Last Name,Email,Company,Phone,Auto Collection,Net Term Days,Created At,MRR
AzyUx8T1,Ada,Byron,ada@alder.example,Alder,+1 4155550123,On,0,2024-02-03 10:11:12,EUR 49.00
169lkT8Z,Bo,Cher,bo@birch.example,Birch,,Off,30,2024-03-04 08:00:00,EUR 129.00
`,
    options: { map: "Company=name" },
    mapping: { "Customer Id": "externalId", Company: "name", MRR: "mrr" },
    formats: { decimal: "point" },
    rows: [
      { externalId: "AzyUx8T1", name: "Alder", mrr: 49 },
      { externalId: "169lkT8Z", name: "Birch", mrr: 129 },
    ],
  },
  {
    kind: "Intercom companies",
    file: `Company name,Company ID,Company last seen,Company created at,People,Company web sessions,Plan,Monthly Spend,Company tag
Alder,c349d35c-572d,2025-11-20 10:20:30,2024-01-02 03:04:05,18,210,usd-pro-monthly-45,45,
Birch,c349d35c-572e,2025-11-19 10:20:30,2024-02-02 03:04:05,3,11,,0,Trial
`,
    options: { map: "Monthly Spend=mrr,Plan=attributes.plan,Company last seen=contactActivityAt" },
    mapping: {
      "Company name": "name",
      "Company ID": "externalId",
      "Company last seen": "contactActivityAt",
      Plan: "attributes.plan (string)",
      "Monthly Spend": "mrr",
    },
    rows: [
      {
        ...{ externalId: "c349d35c-572d", name: "Alder", mrr: 45 },
        contactActivityAt: "2025-11-20T10:20:30.000Z",
        attributes: { plan: "usd-pro-monthly-45" },
      },
      { externalId: "c349d35c-572e", name: "Birch", contactActivityAt: "2025-11-19T10:20:30.000Z" },
    ],
  },
  {
    kind: "Zendesk organizations",
    file: `Id,Name,External ID,Domain names,Shared tickets,Created at,Updated at,Details,Notes,Tags
35436,Alder,crm-1,alder.example,false,2024-07-20T22:55:29Z,2024-09-15T10:00:00Z,,,"enterprise, eu"
35437,Birch,crm-2,birch.example,true,2024-07-21T22:55:29Z,2024-09-16T10:00:00Z,,,
`,
    mapping: { Name: "name", "External ID": "externalId" },
    rows: [
      { externalId: "crm-1", name: "Alder" },
      { externalId: "crm-2", name: "Birch" },
    ],
  },
  {
    kind: "Freshdesk companies",
    file: `Company Name,Description,Notes,Domains,Health score,Account tier,Renewal date,Industry
Alder,,,alder.example,Happy,Premium,2027-01-31,Software
Birch,,"Two lines
of notes",birch.example,At risk,Basic,,
`,
    options: { map: "Company Name=externalId,Company Name=name,Account tier=attributes.tier" },
    mapping: { "Company Name": "externalId, name", "Account tier": "attributes.tier (string)" },
    rows: [
      { externalId: "Alder", name: "Alder", attributes: { tier: "Premium" } },
      { externalId: "Birch", name: "Birch", attributes: { tier: "Basic" } },
    ],
    commandOnly: "a column of the console has one field",
  },
];
