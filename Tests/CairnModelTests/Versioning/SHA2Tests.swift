import Testing

@testable import CairnModel

@Suite struct `SHA-2` {
    // Example values for FIPS 180-4, from NIST's example files.
    @Test func `hashes three letters to 256 bits`() {
        let digest = SHA2.sha256(Array("abc".utf8))

        #expect(
            VersionHash(digest).description
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `hashes a message of two blocks to 256 bits`() {
        let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

        #expect(
            VersionHash(SHA2.sha256(Array(text.utf8))).description
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test func `hashes three letters to 512 bits`() {
        let digest = SHA2.sha512(Array("abc".utf8))

        #expect(
            VersionHash(digest).description
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }
}
