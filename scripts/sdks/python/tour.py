import json
import os
import urllib.request

from svix.api import Svix, SvixOptions
from svix.api.message import MessageCreateOptions as CreateOptions
from svix.exceptions import HttpError
from svix.models import AppPortalAccessIn, ApplicationIn, EndpointIn, EndpointSecretRotateIn, EventTypeIn, MessageIn
from svix.webhooks import Webhook

server, key, receiver, app = (os.environ[f"SDKS_{name}"] for name in ("SERVER", "KEY", "RECEIVER", "APP"))
ordinary, raw, raw_type = json.loads(os.environ["SDKS_ORDINARY"]), os.environ["SDKS_RAW"], os.environ["SDKS_RAW_TYPE"]
svix = Svix(key, SvixOptions(server_url=server))
event_type = f"tour.{app}"
state = {}


def received(count):
    with urllib.request.urlopen(f"{receiver}/receipts?path=/{app}&count={count}") as answer:
        receipts = json.load(answer)
    assert len(receipts) >= count, f"{len(receipts)} of {count} requests came"
    return receipts[count - 1]


def verify(receipt):
    Webhook(state["secret"]).verify(receipt["body"], receipt["headers"])


def same(one, other):
    assert one == other, f"{one} is not {other}"


def application():
    same(svix.application.create(ApplicationIn(name=app, uid=app)).uid, app)


def declare():
    same(svix.event_type.create(EventTypeIn(name=event_type, description="A tour")).name, event_type)


def endpoint():
    same(svix.endpoint.create(app, EndpointIn(url=f"{receiver}/{app}", uid="hooks")).uid, "hooks")


def secret():
    state["secret"] = svix.endpoint.get_secret(app, "hooks").key
    assert state["secret"].startswith("whsec_")


def send_ordinary():
    state["message"] = svix.message.create(app, MessageIn(event_type=event_type, event_id=f"{app}-1", payload=ordinary)).id
    same(json.loads(received(1)["body"]), ordinary)


def send_raw():
    params = {"rawPayload": raw, "headers": {"content-type": raw_type}}
    svix.message.create(app, MessageIn(event_type=event_type, payload={}, transformations_params=params))
    same(received(2)["body"], raw)


def idempotency():
    options = CreateOptions(idempotency_key=f"{app} once")
    message = MessageIn(event_type=event_type, payload=ordinary)
    same(svix.message.create(app, message, options).id, svix.message.create(app, message, options).id)
    received(3)


def get_message():
    same(svix.message.get(app, f"{app}-1").id, state["message"])


def attempts():
    for _ in range(100):
        listed = svix.message_attempt.list_by_msg(app, state["message"]).data
        if len(listed) == 1:
            return same(int(listed[0].status), 0)
    raise AssertionError("no attempt on record")


def resend():
    svix.message_attempt.resend(app, state["message"], "hooks")
    same(received(4)["headers"]["webhook-id"], state["message"])


def rotate():
    answered = svix.endpoint.rotate_secret(app, "hooks", EndpointSecretRotateIn(grace_period_seconds=0))
    state["secret"] = svix.endpoint.get_secret(app, "hooks").key
    if answered is not None:
        same(answered.key, state["secret"])


def rotated_signature():
    svix.message.create(app, MessageIn(event_type=event_type, payload=ordinary))
    verify(received(5))


def customer():
    return Svix(svix.authentication.app_portal_access(app, AppPortalAccessIn()).token, SvixOptions(server_url=server))


def portal():
    same(len(customer().endpoint.list(app).data), 1)


def refused(status, call):
    try:
        call()
    except HttpError as error:
        return same(error.status_code, status)
    raise AssertionError(f"expected {status}, got an answer")


def portal_refused():
    refused(403, lambda: customer().message.create(app, MessageIn(event_type=event_type, payload=ordinary)))


def delete():
    svix.endpoint.delete(app, "hooks")
    svix.application.delete(app)
    refused(404, lambda: svix.application.get(app))


tour = {
    "application": application,
    "event-type": declare,
    "endpoint": endpoint,
    "secret": secret,
    "ordinary": send_ordinary,
    "ordinary-signature": lambda: verify(received(1)),
    "raw": send_raw,
    "raw-signature": lambda: verify(received(2)),
    "idempotency": idempotency,
    "message": get_message,
    "attempts": attempts,
    "resend": resend,
    "rotate": rotate,
    "rotated-signature": rotated_signature,
    "portal": portal,
    "portal-refused": portal_refused,
    "delete": delete,
}
for step, take in tour.items():
    try:
        take()
        print(f"ok {step}", flush=True)
    except Exception as error:
        print(f"no {step}: {type(error).__name__} {str(error).splitlines()[0] if str(error) else ''}", flush=True)
