//! A provider of web identities (OpenID Connect) on 127.0.0.1: its description, its key, and tokens
//! signed with it.

use std::io::BufReader;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

use super::http::{Message, respond};

/// The client that tokens are for.
pub(crate) const CLIENT: &str = "tenbin-test";

/// The running provider; its thread ends with the test process.
pub(crate) struct IdentityProvider {
    address: SocketAddr,
    key: EcdsaKeyPair,
    random: SystemRandom,
}

impl IdentityProvider {
    pub(crate) fn start() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("the key");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let documents = (description(address), keys(key.public_key().as_ref()));
        std::thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let requests = client.try_clone().expect("the connection");
                let mut requests = BufReader::new(requests);
                while let Some(request) = Message::read(&mut requests, false) {
                    let document = match request.target().1 {
                        "/keys" => &documents.1,
                        _ => &documents.0,
                    };
                    respond(&mut client, 200, "application/json", document);
                }
            }
        });
        Self {
            address,
            key,
            random,
        }
    }

    /// URL of the description.
    pub(crate) fn description(&self) -> String {
        format!("http://{}/.well-known/openid-configuration", self.address)
    }

    /// A token with this policy of MinIO.
    pub(crate) fn token(&self, policy: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.expect("a time").as_secs();
        let head = json!({"alg": "ES256", "kid": "1", "typ": "JWT"});
        let claims = json!({
            "iss": format!("http://{}", self.address),
            "aud": CLIENT,
            "sub": "bench",
            "policy": policy,
            "iat": now,
            "exp": now + 3600,
        });
        let encode = |text: String| BASE64_URL_SAFE_NO_PAD.encode(text);
        let signed = format!(
            "{}.{}",
            encode(head.to_string()),
            encode(claims.to_string())
        );
        let signature = self.key.sign(&self.random, signed.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.expect("a signature"));
        format!("{signed}.{signature}")
    }
}

fn description(address: SocketAddr) -> String {
    let url = |path: &str| format!("http://{address}{path}");
    json!({
        "issuer": url(""),
        "jwks_uri": url("/keys"),
        "authorization_endpoint": url("/authorize"),
        "token_endpoint": url("/token"),
        "userinfo_endpoint": url("/user"),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    })
    .to_string()
}

/// The public key, a point of the curve: a byte, then its two coordinates.
fn keys(point: &[u8]) -> String {
    let (x, y) = point[1..].split_at(32);
    let encode = |coordinate: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(coordinate);
    json!({"keys": [{
        "kty": "EC",
        "crv": "P-256",
        "use": "sig",
        "alg": "ES256",
        "kid": "1",
        "x": encode(x),
        "y": encode(y),
    }]})
    .to_string()
}
