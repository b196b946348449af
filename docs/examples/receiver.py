"""Receives the changes of a webhook: WEBHOOK_SECRET=whsec_... python3 receiver.py"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_")) or exit("no secret")
DATABASE = os.environ.get("DATABASE", "receiver.db")
MAX_BYTES = 1_048_576


def open_database():
    return contextlib.closing(sqlite3.connect(DATABASE, timeout=10))


def is_signed(headers, body):
    """Whether a signature in the header is of the secret and the body, and at most 5 minutes old."""
    timestamp = headers["webhook-timestamp"] or ""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    signatures = (headers["webhook-signature"] or "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


def apply(database, change):
    """Updates the copy of a row. The fields are NULL after a delete, an attribute is null when it was removed."""
    resource, action = change["type"].split(".")
    if resource == "webhook":  # A test.
        return
    name = f"{resource}/{change['resourceId']}"
    sequence, account = change["sequence"], change["accountId"]
    row = database.execute("SELECT sequence, fields FROM rows WHERE name = ?", (name,)).fetchone()
    if row and row[0] >= sequence:  # A newer change was applied.
        return
    before, after = json.loads(row and row[1] or "{}"), change["after"] or {}
    attributes = before.get("attributes", {}) | after.get("attributes", {})
    fields = before | after | {"attributes": attributes}
    stored = None if action == "deleted" else json.dumps(fields)
    database.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", (name, sequence, account, stored))
    if change["type"] == "account.deleted":
        database.execute("UPDATE rows SET fields = NULL WHERE accountId = ? AND sequence < ?", (account, sequence))


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers["content-length"] or 0)
        if not 0 <= length <= MAX_BYTES:
            return self.respond(413)
        body = self.rfile.read(length)
        if not is_signed(self.headers, body):
            return self.respond(401)
        # The id and the result are stored together. After an error, the change is sent again.
        with open_database() as database, database:
            added = database.execute("INSERT OR IGNORE INTO deliveries VALUES (?)", (self.headers["webhook-id"],))
            if added.rowcount > 0:
                apply(database, json.loads(body))
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


with open_database() as database:
    database.execute("CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY)")
    database.execute(
        "CREATE TABLE IF NOT EXISTS rows (name TEXT PRIMARY KEY, sequence INTEGER, accountId INTEGER, fields TEXT)"
    )
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
