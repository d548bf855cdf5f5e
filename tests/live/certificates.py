"""Authorities and certificates, made on the spot and good for a day."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ENDS = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]


@dataclass(frozen=True)
class Pem:
    """Files as clients and brokers take them; `both` is key and certificate in one."""

    certificate: Path
    key: Path
    both: Path


class Authority:
    """Signs certificates; `certificate` is what those hold who trust it."""

    def __init__(self, name: str, folder: Path) -> None:
        self._folder = folder
        self._key = generate_private_key(SECP256R1())
        self._name = _name(name)
        made = _begun(self._name, self._name, self._key)
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.certificate = folder / f"{name}.pem"
        signed = made.sign(self._key, SHA256())
        self.certificate.write_bytes(signed.public_bytes(Encoding.PEM))

    def issue(self, name: str) -> Pem:
        """A certificate for this machine, as a server and as a client."""
        key = generate_private_key(SECP256R1())
        here = [x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]
        made = _begun(_name(name), self._name, key)
        made = made.add_extension(x509.SubjectAlternativeName(here), critical=False)
        made = made.add_extension(x509.ExtendedKeyUsage(ENDS), critical=False)
        certificate = made.sign(self._key, SHA256()).public_bytes(Encoding.PEM)
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        pem = Pem(*(self._folder / f"{name}.{end}.pem" for end in ("certificate", "key", "both")))
        pem.certificate.write_bytes(certificate)
        pem.key.write_bytes(secret)
        pem.both.write_bytes(secret + certificate)
        return pem


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )
