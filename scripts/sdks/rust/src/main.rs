use serde_json::{json, Value};
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream;
use svix::api::*;
use svix::models::*;
use svix::webhooks::Webhook;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn setting(name: &str) -> String {
    std::env::var(format!("SDKS_{name}")).unwrap()
}

fn client(token: String) -> Svix {
    Svix::new(token, Some(SvixOptions { server_url: Some(setting("SERVER")), ..Default::default() }))
}

fn event_type() -> String {
    format!("tour.{}", setting("APP"))
}

fn same<T: PartialEq + std::fmt::Debug>(one: T, other: T) -> Outcome<()> {
    if one == other { Ok(()) } else { Err(format!("{one:?} is not {other:?}").into()) }
}

/** The nth request that came, by a GET without a client library. */
fn received(count: usize) -> Outcome<Value> {
    let receiver = setting("RECEIVER");
    let host = receiver.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET /receipts?path=/{}&count={count} HTTP/1.0\r\nhost: {host}\r\n\r\n", setting("APP"))?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").ok_or("no body")?.1;
    let receipts: Vec<Value> = serde_json::from_str(body)?;
    receipts.get(count - 1).cloned().ok_or_else(|| format!("{} of {count} requests came", receipts.len()).into())
}

fn verify(secret: &str, receipt: &Value) -> Outcome<()> {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, receipt["headers"][name].as_str().ok_or("no header")?.parse()?);
    }
    Ok(Webhook::new(secret)?.verify(receipt["body"].as_str().ok_or("no body")?.as_bytes(), &headers)?)
}

fn status<T>(result: Result<T, svix::error::Error>) -> u16 {
    match result {
        Ok(_) => 200,
        Err(svix::error::Error::Http(error)) => error.status.as_u16(),
        Err(svix::error::Error::Validation(error)) => error.status.as_u16(),
        Err(_) => 0,
    }
}

async fn step(name: &str, taking: impl Future<Output = Outcome<()>>) {
    match taking.await {
        Ok(()) => println!("ok {name}"),
        Err(error) => println!("no {name}: {}", error.to_string().lines().next().unwrap_or("")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let app = setting("APP");
    let ordinary: Value = serde_json::from_str(&setting("ORDINARY")).unwrap();
    let svix = client(setting("KEY"));
    let message = || MessageIn::new(event_type(), ordinary.clone());
    let mut secret = String::new();
    let mut sent = String::new();

    step("application", async {
        let made = svix.application().create(ApplicationIn { uid: Some(app.clone()), ..ApplicationIn::new(app.clone()) }, None).await?;
        same(made.uid, Some(app.clone()))
    }).await;
    step("event-type", async {
        let made = svix.event_type().create(EventTypeIn::new(event_type(), "A tour".into()), None).await?;
        same(made.name, event_type())
    }).await;
    step("endpoint", async {
        let given = EndpointIn { uid: Some("hooks".into()), ..EndpointIn::new(format!("{}/{app}", setting("RECEIVER"))) };
        same(svix.endpoint().create(app.clone(), given, None).await?.uid, Some("hooks".into()))
    }).await;
    step("secret", async {
        secret = svix.endpoint().get_secret(app.clone(), "hooks".into()).await?.key;
        same(secret.starts_with("whsec_"), true)
    }).await;
    step("ordinary", async {
        sent = svix.message().create(app.clone(), MessageIn { event_id: Some(format!("{app}-1")), ..message() }, None).await?.id;
        let body: Value = serde_json::from_str(received(1)?["body"].as_str().unwrap_or(""))?;
        same(body, ordinary.clone())
    }).await;
    step("ordinary-signature", async { verify(&secret, &received(1)?) }).await;
    step("raw", async {
        let given = MessageIn::new_raw_payload(event_type(), setting("RAW")).with_content_type(setting("RAW_TYPE"));
        svix.message().create(app.clone(), given, None).await?;
        same(received(2)?["body"].clone(), json!(setting("RAW")))
    }).await;
    step("raw-signature", async { verify(&secret, &received(2)?) }).await;
    step("idempotency", async {
        let options = || Some(MessageCreateOptions { idempotency_key: Some(format!("{app} once")), ..Default::default() });
        let one = svix.message().create(app.clone(), message(), options()).await?.id;
        let other = svix.message().create(app.clone(), message(), options()).await?.id;
        received(3)?;
        same(one, other)
    }).await;
    step("message", async { same(svix.message().get(app.clone(), format!("{app}-1"), None).await?.id, sent.clone()) }).await;
    step("attempts", async {
        for _ in 0..100 {
            let listed = svix.message_attempt().list_by_msg(app.clone(), sent.clone(), None).await?.data;
            if listed.len() == 1 {
                return same(listed[0].status, MessageStatus::Success);
            }
        }
        Err("no attempt on record".into())
    }).await;
    step("resend", async {
        svix.message_attempt().resend(app.clone(), sent.clone(), "hooks".into(), None).await?;
        same(received(4)?["headers"]["webhook-id"].clone(), json!(sent))
    }).await;
    step("rotate", async {
        let given = EndpointSecretRotateIn { grace_period_seconds: Some(0), ..Default::default() };
        secret = svix.endpoint().rotate_secret(app.clone(), "hooks".into(), given, None).await?.key;
        same(svix.endpoint().get_secret(app.clone(), "hooks".into()).await?.key, secret.clone())
    }).await;
    step("rotated-signature", async {
        svix.message().create(app.clone(), message(), None).await?;
        verify(&secret, &received(5)?)
    }).await;
    step("portal", async {
        let token = svix.authentication().app_portal_access(app.clone(), AppPortalAccessIn::default(), None).await?.token;
        same(client(token).endpoint().list(app.clone(), None).await?.data.len(), 1)
    }).await;
    step("portal-refused", async {
        let token = svix.authentication().app_portal_access(app.clone(), AppPortalAccessIn::default(), None).await?.token;
        same(status(client(token).message().create(app.clone(), message(), None).await), 403)
    }).await;
    step("delete", async {
        svix.endpoint().delete(app.clone(), "hooks".into()).await?;
        svix.application().delete(app.clone()).await?;
        same(status(svix.application().get(app.clone()).await), 404)
    }).await;
}
