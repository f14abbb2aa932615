# Debian calls pycryptodome's package Cryptodome; the clients import it by its own name.
import sys
import Cryptodome
import Cryptodome.Cipher.AES

for name, module in list(sys.modules.items()):
    if name == "Cryptodome" or name.startswith("Cryptodome."):
        sys.modules["Crypto" + name[len("Cryptodome"):]] = module
