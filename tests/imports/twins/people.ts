import type { Twin } from "./twin.ts";

/** Contacts. */
export const peopleTwins: readonly Twin[] = [
  {
    kind: "HubSpot contacts",
    resource: "contacts",
    accounts: ["15728941234"],
    file: `"Record ID","First Name","Last Name","Email","Phone Number","Contact owner","Lead Status","Create Date","Associated Company (Primary)","Associated Company IDs (Primary)"
"101","Ada","Byron","ada@alder.example","","","New","2024-01-02 10:00","Alder","15728941234"
"102","","Cher","cher@alder.example","+49 30 123456","","","2024-01-03 10:00","Alder","15728941234"
`,
    mapping: {
      "Record ID": "externalId",
      "First Name": "firstName",
      "Last Name": "lastName",
      Email: "email",
      "Associated Company IDs (Primary)": "accountExternalId",
    },
    rows: [
      { externalId: "101", accountExternalId: "15728941234", name: "Ada Byron", email: "ada@alder.example" },
      { externalId: "102", accountExternalId: "15728941234", name: "Cher", email: "cher@alder.example" },
    ],
  },
  {
    kind: "Salesforce report of contacts",
    resource: "contacts",
    accounts: ["0015g00000ABcDe"],
    file: `"Salutation","First Name","Last Name","Title","Account Name","Email","Phone","Contact ID","Account ID"
"Ms.","Ada","Byron","CTO","Alder","ada@alder.example","(030) 123456","0035g00000XyZaB","0015g00000ABcDe"
`,
    options: { map: "Title=attributes.title" },
    mapping: {
      "First Name": "firstName",
      "Last Name": "lastName",
      Title: "attributes.title (string)",
      Email: "email",
      "Contact ID": "externalId",
      "Account ID": "accountExternalId",
    },
    rows: [
      {
        ...{ externalId: "0035g00000XyZaB", accountExternalId: "0015g00000ABcDe" },
        ...{ name: "Ada Byron", email: "ada@alder.example", attributes: { title: "CTO" } },
      },
    ],
  },
  {
    kind: "Pipedrive people",
    resource: "contacts",
    accounts: ["12"],
    file: `Person - ID,Person - Name,Person - Label,Person - Organization,Person - Organization ID,Person - Email - Work,Person - Email - Home,Person - Phone - Work
1,Ada Byron,Customer,Alder,12,ada@alder.example,,+49 30 123456
2,Bo Cher,,Alder,12,bo@alder.example,bo@home.example,
`,
    options: { map: "Person - Organization ID=accountExternalId,Person - Email - Work=email" },
    mapping: {
      "Person - ID": "externalId",
      "Person - Name": "name",
      "Person - Organization ID": "accountExternalId",
      "Person - Email - Work": "email",
    },
    rows: [
      { externalId: "1", accountExternalId: "12", name: "Ada Byron", email: "ada@alder.example" },
      { externalId: "2", accountExternalId: "12", name: "Bo Cher", email: "bo@alder.example" },
    ],
  },
  {
    kind: "Intercom users",
    resource: "contacts",
    accounts: ["c349d35c-572d"],
    file: `Name,Owner,Email,Phone,User ID,Signed up,Last seen,Web sessions,Company name,Company ID,Unsubscribed from Emails
Ada Byron,,ada@alder.example,,u-1,2024-01-02 03:04:05,2025-11-20 10:20:30,210,Alder,c349d35c-572d,false
`,
    options: { map: "User ID=externalId,User ID=userId" },
    mapping: {
      Name: "name",
      Email: "email",
      "User ID": "externalId, userId",
      "Company ID": "accountExternalId",
    },
    rows: [
      {
        ...{ externalId: "u-1", accountExternalId: "c349d35c-572d", userId: "u-1" },
        ...{ name: "Ada Byron", email: "ada@alder.example" },
      },
    ],
  },
  {
    kind: "Google Contacts",
    resource: "contacts",
    accounts: ["Alder"],
    file: `First Name,Middle Name,Last Name,Nickname,File As,Organization Name,Organization Title,Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value
Ada,King,Byron,,,Alder,CTO,,,* myContacts,* Work,ada@alder.example,Work,+49 30 123456
Bo,,Cher,,,Alder,,,,* myContacts,,bo@alder.example,,
`,
    options: {
      map: "E-mail 1 - Value=externalId,E-mail 1 - Value=email,Organization Name=accountExternalId",
    },
    mapping: {
      "First Name": "firstName",
      "Last Name": "lastName",
      "Organization Name": "accountExternalId",
      "E-mail 1 - Value": "externalId, email",
    },
    rows: [
      {
        ...{ externalId: "ada@alder.example", accountExternalId: "Alder" },
        ...{ name: "Ada Byron", email: "ada@alder.example" },
      },
      {
        ...{ externalId: "bo@alder.example", accountExternalId: "Alder" },
        ...{ name: "Bo Cher", email: "bo@alder.example" },
      },
    ],
  },
  {
    kind: "Outlook contacts",
    resource: "contacts",
    accounts: ["Alder"],
    file: `First Name,Middle Name,Last Name,Title,Suffix,E-mail Address,E-mail 2 Address,Company,Department,Job Title,Mobile Phone\r
Ada,,Byron,Dr.,,ada@alder.example,,Alder,,CTO,+49 170 1234567\r
`,
    options: {
      map: "E-mail Address=externalId,E-mail Address=email,Company=accountExternalId,Job Title=attributes.jobTitle",
    },
    mapping: {
      "First Name": "firstName",
      "Last Name": "lastName",
      "E-mail Address": "externalId, email",
      Company: "accountExternalId",
      "Job Title": "attributes.jobTitle (string)",
    },
    rows: [
      {
        ...{ externalId: "ada@alder.example", accountExternalId: "Alder", attributes: { jobTitle: "CTO" } },
        ...{ name: "Ada Byron", email: "ada@alder.example" },
      },
    ],
  },
  {
    kind: "Mailchimp audience",
    resource: "contacts",
    accounts: ["A-1"],
    file: `"Email Address","First Name","Last Name","Customer ID",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,LAST_CHANGED,LEID,EUID,NOTES,TAGS
ada@alder.example,Ada,Byron,A-1,4,"2024-03-16 14:40:47",,"2025-03-16 14:40:47",123456,0a1b2c3d4e,,"""eu"",""pro"""
`,
    options: { map: "EUID=externalId" },
    mapping: {
      "Email Address": "email",
      "First Name": "firstName",
      "Last Name": "lastName",
      "Customer ID": "accountExternalId",
      EUID: "externalId",
    },
    rows: [
      {
        ...{ externalId: "0a1b2c3d4e", accountExternalId: "A-1", name: "Ada Byron" },
        email: "ada@alder.example",
      },
    ],
  },
];
