import { expect, test } from "bun:test";
import { migrations as postgres } from "../../db/postgres/migrations/list.ts";
import { migrations as sqlite } from "../../db/sqlite/migrations/list.ts";

/**
 * The SHA-256 of each released migration. A database that ran it refuses another text: add the next migration, whose
 * hash is added here with its release.
 */
const released = {
  sqlite: {
    "0001_accounts": "eb8f254d6665e00bd524a433dab67402c626775cb5fcc6540821f2b6053cfd91",
    "0002_synchronised_lists": "d9ac881d6c1df7e57e04de2a83a82b404ccf59cc42d6e5f157b74f530cd37eb5",
    "0003_usage": "62143bdf874b53eee2f8f26fc92a72c72412906a332ed7a5f0b3acf609434ad3",
    "0004_health": "b215389b1bed21313fb79e3c42e11a27719afb2a5bf9c1315566d1a1bd3e8c11",
    "0005_account_statuses": "5fc9eba0faf08e0566204bc1b1a9daa3cde3aa4930cd7db6224297d65b5da873",
    "0006_lighter_writes": "f2be3417a218fd324e39e73452b84588e0b49875a663a2d6c62248745061d667",
    "0007_scores_in_accounts": "796a3c7e8e149e53213ab15f9f052eb735f72c74988e08931f8c7694f9a6e5df",
    "0008_changes": "b4e2b9b77b3866e0d5fcf241c368f5fdc95369ef9f25257f2f697b56a5a9d0ef",
    "0009_idempotency_keys": "595a5ef0e3023c83efd771d5d943440a7f70a761d11f9fd5f28e68071e4d5aac",
    "0010_key_scopes": "0846d3d5e308339bdcd4d9e6b42d22406bd0530c974d73496c0ff6be746a1e8b",
    "0011_row_versions": "4f6e50369929b2445a4759f854800692eadde4e3ec4d1ecf561cbf7b0b1e5280",
    "0012_lists": "84d1151733de4e4f074630577f0de4f5414edbbc3a035db50d2a8b2672c68abc",
    "0013_attributes": "7daceed955c0f36aa72b0c26bbb3d05d3f3f77c843147ff339bba136c48b9dda",
    "0014_organization_settings": "ee08aa88cb052c939c24e09ddaf6643cc830d16b43f8f35975d92bee82e7e22e",
    "0015_usage_sums": "c0c8647840d32f221dd0b5f1acab39d62b53b1d6df548cc4b33c9329ff9badf5",
    "0016_health_days": "69205aa1b1cdbca12ae62b808ca24e288b4c293ccd5702897ff171bd84dd24e9",
    "0017_sessions": "552e098cf1a703351c39349fb3c3003dc99ddc2885b1f2d420d9b8ab7603c91a",
    "0018_persons": "a277f0f9175cd0a5fca4873f065735d3f929d976d2420ec601f41d138686ff48",
    "0019_declined_requests": "1a800a16c4af2fe75ac014ea0f302222aa53694aebe1357f1eee490c4695e444",
    "0020_pending_erasures": "9a36caad74c321a8f0f1cb61bf3331d528bb758151cc3b9ac631e4c5ccdaaad8",
    "0021_clock_gaps": "1590c137dc5b70c9e3f0aeda81077b80cac8b3adaccbfca734256717e2237226",
    "0022_fewer_sums": "665d4f3f044188b64b0a77d475230fda5f80bc323e9c8d2abedbdd8102a253f2",
    "0023_settings": "de8e1df55d7fdca78ebf0a37e872ce8a365dc81f360f90ef9b46a269e67ec7a7",
    "0024_number_format": "a54eb3fd10734d90dff103affbd65f02b4d526ac4bec99de0d2930765d332272",
    "0025_webhooks": "ecb835347ef6dd42ff70c6204dcf2d389b7d91ee94938b969cb490fd0f4a3ace",
  },
  postgres: {
    "0001_schema": "86e1cdaa11480f618c4f386b5b87a73395f1fb56e8d383bcdefbbb6356c70133",
    "0002_idempotency_keys": "46855f5446f5a4fb65a0a6857f3457d42f5ea660020de61dcce6bd0bfcbfd508",
    "0003_key_scopes": "79f04cfb046bea555c081b10efdc37afcbdef2349ebb86e215dbf166a17e8d82",
    "0004_row_versions": "ce5dae274160ba6e5725f81e4be9747552690e2c4f2522ee715c69150d9074b7",
    "0005_lists": "21c431d053cade2585164273bcb44b90e01743fc26f3468da7252e814484b557",
    "0006_attributes": "3c6c3c8a58daea6b46797da49fcf4fce3ecd086b6991a878fcb9457c52d7fe46",
    "0007_organization_settings": "a4123a523b311e2c0e1ee81d57faea2d545a79bcc779940c5f372a1494f3a802",
    "0008_usage_sums": "5af71ad10184b4617dede2548de8d876ba992687b851fe97f229e3b9297c7fe5",
    "0009_health_days": "9085b6901cefe5b64891d244be050df285808b45c06d4105efc48441fd6ad67a",
    "0010_sessions": "43e4af90bbc18f62644cc409d84bf417e289a8a689c6902bc9b96e30b17b844a",
    "0011_persons": "65f4c7836baa8f4e8c85144aa5049fe5288f920a13b11e93d3cdb04ec7dddd0a",
    "0012_declined_requests": "ee5192cdc5c2c552db7ec70b976d9c528ae844f158b822a9c3474fcde0af3818",
    "0013_pending_erasures": "3155acfcb2d6f00c8b0408bb4cf26cae23dab5220112c1d0cdba6ced472146ae",
    "0014_clock_gaps": "c1438583c288da24bbacffbf8142ba76453792c7b21b6cd03c65c47c28fc2773",
    "0015_fewer_sums": "665d4f3f044188b64b0a77d475230fda5f80bc323e9c8d2abedbdd8102a253f2",
    "0016_settings": "bc8e9491b2ecf33182a6f070871b78aa01d6414c15de60f9ef1fec07cd999257",
    "0017_number_format": "611c9d52aab32adb9f52ba34f6631fa08a826718ee4c95b6a1378bcce2c64006",
    "0018_webhooks": "726e0b32289d92bdd00147d9ad6ce171fba11885ad4bfb0213c72a3d5da7da1a",
  },
};

test.each(Object.entries({ sqlite, postgres }))(
  "no released migration of %s was edited, renamed or moved",
  (engine, list) => {
    // Safe: the names of the engines.
    const expected = Object.entries(released[engine as keyof typeof released]);
    const hashes = list.map(({ name, sql }) => [
      name,
      new Bun.CryptoHasher("sha256").update(sql).digest("hex"),
    ]);
    expect(hashes.slice(0, expected.length)).toEqual(expected);
  },
);
