import type { Twin } from "./twin.ts";

/** Accounts of spreadsheets, databases and lists. */
export const sheetTwins: readonly Twin[] = [
  {
    kind: "Excel of Germany",
    file: `Kundennummer;Firma;Umsatz;Status;Letzter Kontakt;Ort\r
00017;Bäcker & Söhne;1.250,50;Aktiv;31.10.2025;Köln\r
00018;Zöllner KG;900;Gekündigt;02.11.2025;Wien\r
`,
    options: {
      map: "Kundennummer=externalId,Firma=name,Umsatz=mrr,Letzter Kontakt=contactActivityAt,Ort=attributes.ort",
      values: "Status: Aktiv=active, Gekündigt=churned",
    },
    mapping: {
      Kundennummer: "externalId",
      Firma: "name",
      Umsatz: "mrr",
      Status: "status",
      "Letzter Kontakt": "contactActivityAt",
      Ort: "attributes.ort (string)",
    },
    formats: { decimal: "comma", dates: "dmy" },
    rows: [
      {
        ...{ externalId: "00017", name: "Bäcker & Söhne", mrr: 1250.5, attributes: { ort: "Köln" } },
        contactActivityAt: "2025-10-31T00:00:00.000Z",
      },
      {
        ...{ externalId: "00018", name: "Zöllner KG", mrr: 900, status: "churned" },
        contactActivityAt: "2025-11-02T00:00:00.000Z",
        attributes: { ort: "Wien" },
      },
    ],
  },
  {
    kind: "Excel of Switzerland",
    file: `Kunden-ID;Name;MRR;Seit\r
ZH-1;Älpli AG;CHF 1'250.50;13.01.2020\r
ZH-2;Bergün SA;CHF 900.00;01.02.2021\r
`,
    options: { map: "Kunden-ID=externalId" },
    mapping: { "Kunden-ID": "externalId", Name: "name", MRR: "mrr" },
    formats: { decimal: "point" },
    rows: [
      { externalId: "ZH-1", name: "Älpli AG", mrr: 1250.5 },
      { externalId: "ZH-2", name: "Bergün SA", mrr: 900 },
    ],
  },
  {
    kind: "Excel of the US",
    file: `Customer ID,Customer Name,MRR,Last Contact,Seats,Renewal\r
C-1,Alder Inc.,"$1,234.50",7/5/2025,12,75%\r
C-2,Birch LLC,($20.00),11/24/2025,"1,200",80%\r
`,
    options: { map: "Seats=attributes.seats,Renewal=attributes.renewal" },
    mapping: {
      "Customer ID": "externalId",
      "Customer Name": "name",
      MRR: "mrr",
      "Last Contact": "contactActivityAt",
      Seats: "attributes.seats (number)",
      Renewal: "attributes.renewal (number)",
    },
    formats: { decimal: "point", dates: "mdy" },
    rows: [
      {
        ...{ externalId: "C-1", name: "Alder Inc.", mrr: 1234.5 },
        contactActivityAt: "2025-07-05T00:00:00.000Z",
        attributes: { seats: 12, renewal: 75 },
      },
      {
        ...{ externalId: "C-2", name: "Birch LLC", mrr: -20 },
        contactActivityAt: "2025-11-24T00:00:00.000Z",
        attributes: { seats: 1200, renewal: 80 },
      },
    ],
  },
  {
    kind: "SQL dump",
    file: `"id","company_name","mrr","plan","is_trial","last_contact_at","deleted_at"
"1","Alder","49.00","pro","0","2019-07-05 20:35:26",NULL
"2","Birch",NULL,NULL,"1",NULL,"2020-01-01 00:00:00"
`,
    options: {
      map: "is_trial=attributes.isTrial:boolean,plan=attributes.plan",
      values: "mrr: NULL=; plan: NULL=; last_contact_at: NULL=",
    },
    mapping: {
      id: "externalId",
      company_name: "name",
      mrr: "mrr",
      plan: "attributes.plan (string)",
      is_trial: "attributes.isTrial (boolean)",
      last_contact_at: "contactActivityAt",
    },
    formats: { decimal: "point" },
    rows: [
      {
        ...{ externalId: "1", name: "Alder", mrr: 49, attributes: { plan: "pro", isTrial: false } },
        contactActivityAt: "2019-07-05T20:35:26.000Z",
      },
      { externalId: "2", name: "Birch", attributes: { isTrial: true } },
    ],
  },
  {
    kind: "pandas to_csv",
    file: `,customer_id,name,mrr,is_active,last_seen
0,c-1,Alder,49.0,True,2025-11-01 10:20:30.123456
1,c-2,Birch,,False,
`,
    options: { map: "last_seen=contactActivityAt,is_active=attributes.isActive" },
    mapping: {
      customer_id: "externalId",
      name: "name",
      mrr: "mrr",
      is_active: "attributes.isActive (boolean)",
      last_seen: "contactActivityAt",
    },
    formats: { decimal: "point" },
    rows: [
      {
        ...{ externalId: "c-1", name: "Alder", mrr: 49, attributes: { isActive: true } },
        contactActivityAt: "2025-11-01T10:20:30.123Z",
      },
      { externalId: "c-2", name: "Birch", attributes: { isActive: false } },
    ],
  },
  {
    kind: "Airtable",
    file: `\uFEFFName,Account ID,Status,MRR,Last contacted,Trial,Contacts
Alder,rec01,Active,"$1,250.00",10/30/2025 4:05pm,checked,"Ada Byron, Bo Cher"
Birch,rec02,Onboarding,$0.00,,,
`,
    mapping: {
      Name: "name",
      "Account ID": "externalId",
      Status: "status",
      MRR: "mrr",
      "Last contacted": "contactActivityAt",
    },
    formats: { decimal: "point", dates: "mdy" },
    rows: [
      {
        ...{ externalId: "rec01", name: "Alder", mrr: 1_250 },
        contactActivityAt: "2025-10-30T16:05:00.000Z",
      },
      { externalId: "rec02", name: "Birch", status: "onboarding" },
    ],
  },
  {
    kind: "Notion",
    file: `\uFEFFName,ID,Last contact,MRR,Stage,Tags
Alder,ACC-1,"October 30, 2025 4:05 PM",49,Live,"eu, pro"
Birch,ACC-2,"November 1, 2025",0,Trial,
`,
    options: { map: "Stage=status", values: "Stage: Live=active, Trial=onboarding" },
    mapping: {
      Name: "name",
      ID: "externalId",
      "Last contact": "contactActivityAt",
      MRR: "mrr",
      Stage: "status",
    },
    rows: [
      {
        ...{ externalId: "ACC-1", name: "Alder", mrr: 49 },
        contactActivityAt: "2025-10-30T16:05:00.000Z",
      },
      {
        ...{ externalId: "ACC-2", name: "Birch", status: "onboarding" },
        contactActivityAt: "2025-11-01T00:00:00.000Z",
      },
    ],
  },
  {
    kind: "list of an index",
    file: `Symbol,Security,GICS Sector,GICS Sub-Industry,Headquarters Location,Date added,CIK,Founded
ALD,Alder,Industrials,Industrial Conglomerates,"Saint Paul, Minnesota",1957-03-04,0000066740,1902
BR.B,Birch (Class B),Financials,Multi-Sector Holdings,"Omaha, Nebraska",2010-02-16,0001067983,1839 (1888)
`,
    options: { map: "GICS Sector=attributes.sector,CIK=attributes.cik,Founded=attributes.founded" },
    mapping: {
      Symbol: "externalId",
      Security: "name",
      "GICS Sector": "attributes.sector (string)",
      CIK: "attributes.cik (string)",
      Founded: "attributes.founded (string)",
    },
    rows: [
      {
        ...{ externalId: "ALD", name: "Alder" },
        attributes: { sector: "Industrials", cik: "0000066740", founded: "1902" },
      },
      {
        ...{ externalId: "BR.B", name: "Birch (Class B)" },
        attributes: { sector: "Financials", cik: "0001067983", founded: "1839 (1888)" },
      },
    ],
  },
];
