# The functions of the published checksum library that shops call. It stands in for that library in tests.

import base64, hashlib, random, string
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

IV = b"@@@@&&&&####$$$$"


def generateSignature(params, key):
    salt = "".join(random.choices(string.ascii_letters + string.digits, k=4))
    return encrypt(calculateHash(params, salt), key)


def verifySignature(params, key, checksum):
    try:
        found = decrypt(checksum, key)
    except ValueError:
        return False
    return found == calculateHash(params, found[-4:])


def calculateHash(params, salt):
    text = getStringByParams(params) if isinstance(params, dict) else params
    return hashlib.sha256(f"{text}|{salt}".encode()).hexdigest() + salt


def getStringByParams(params):
    values = (params[name] for name in sorted(params))
    return "|".join("" if value is None or value.lower() == "null" else value for value in values)


def encrypt(text, key):
    padder = padding.PKCS7(128).padder()
    padded = padder.update(text.encode()) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(IV)).encryptor()
    return base64.b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


def decrypt(encrypted, key):
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(IV)).decryptor()
    padded = decryptor.update(base64.b64decode(encrypted)) + decryptor.finalize()
    unpadder = padding.PKCS7(128).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()
