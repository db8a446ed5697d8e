/// SHA-256 and SHA-512 (FIPS 180-4), for version hashes and their digests.
///
/// The two are the same algorithm on words of 32 and 64 bits. The constants of SHA-256 are the high halves
/// of those of SHA-512. Words of both are kept in 64 bits, because generic code is slow in debug builds, where
/// each test that makes a model pays for it. Cairn has its own implementation because a cryptography library
/// would be the only dependency of the model (docs/decisions/modules-and-checks.md).
struct SHA2 {
    /// Returns the 32-byte SHA-256 digest of the bytes.
    static func sha256(_ message: [UInt8]) -> [UInt8] { short.digest(message) }

    /// Returns the 64-byte SHA-512 digest of the bytes.
    static func sha512(_ message: [UInt8]) -> [UInt8] { long.digest(message) }

    private static let short = SHA2(
        wordByteCount: 4, mask: 0xffff_ffff, initial: initial.map { $0 >> 32 },
        constants: constants.prefix(64).map { $0 >> 32 },
        bigA: (2, 13, 22), bigE: (6, 11, 25), small0: (7, 18, 3), small1: (17, 19, 10))

    private static let long = SHA2(
        wordByteCount: 8, mask: .max, initial: initial, constants: constants,
        bigA: (28, 34, 39), bigE: (14, 18, 41), small0: (1, 8, 7), small1: (19, 61, 6))

    private let wordByteCount: Int
    /// The bits of a word.
    private let mask: UInt64
    private let initial: [UInt64]
    private let constants: [UInt64]
    /// The rotation counts of section 4.1 of FIPS 180-4. The last count of `small0` and `small1` is a shift.
    private let bigA: (UInt64, UInt64, UInt64)
    private let bigE: (UInt64, UInt64, UInt64)
    private let small0: (UInt64, UInt64, UInt64)
    private let small1: (UInt64, UInt64, UInt64)

    private func digest(_ message: [UInt8]) -> [UInt8] {
        var state = initial
        let padded = pad(message)
        var schedule = [UInt64](repeating: 0, count: constants.count)
        for block in stride(from: 0, to: padded.count, by: 16 * wordByteCount) {
            expand(padded, at: block, into: &schedule)
            compress(&state, schedule)
        }
        return state.flatMap { Self.bytes(of: $0).suffix(wordByteCount) }
    }

    /// Returns the bytes of a word of 64 bits, the highest first.
    private static func bytes(of word: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }

    /// Pads the message as in section 5.1: a one bit, zeros, and the number of bits in an eighth of a block.
    private func pad(_ message: [UInt8]) -> [UInt8] {
        let (block, countByteCount) = (16 * wordByteCount, 2 * wordByteCount)
        var padded = message
        padded.append(0x80)
        while padded.count % block != block - countByteCount { padded.append(0) }
        padded.append(contentsOf: repeatElement(0, count: countByteCount - 8))
        padded.append(contentsOf: Self.bytes(of: UInt64(message.count) * 8))
        return padded
    }

    /// Computes the message schedule of a block, as in section 6.2.2, step 1.
    private func expand(_ padded: [UInt8], at block: Int, into schedule: inout [UInt64]) {
        for index in 0..<16 {
            let start = block + index * wordByteCount
            var word: UInt64 = 0
            for byte in start..<start + wordByteCount {
                word = word &<< 8 | UInt64(truncatingIfNeeded: padded[byte])
            }
            schedule[index] = word
        }
        for index in 16..<schedule.count {
            let small0 = small(schedule[index - 15], small0)
            let small1 = small(schedule[index - 2], small1)
            schedule[index] =
                (schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1) & mask
        }
    }

    /// Updates the state with a block, as in section 6.2.2, steps 2 to 4.
    private func compress(_ state: inout [UInt64], _ schedule: [UInt64]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in constants.indices {
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let first = h &+ big(e, bigE) &+ choice &+ constants[index] &+ schedule[index]
            let second = big(a, bigA) &+ majority
            (h, g, f, e) = (g, f, e, (d &+ first) & mask)
            (d, c, b, a) = (c, b, a, (first &+ second) & mask)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() {
            state[index] = (state[index] &+ word) & mask
        }
    }

    private func big(_ word: UInt64, _ by: (UInt64, UInt64, UInt64)) -> UInt64 {
        rotate(word, by.0) ^ rotate(word, by.1) ^ rotate(word, by.2)
    }

    private func small(_ word: UInt64, _ by: (UInt64, UInt64, UInt64)) -> UInt64 {
        rotate(word, by.0) ^ rotate(word, by.1) ^ (word &>> by.2)
    }

    private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        (word &>> count | word &<< (UInt64(truncatingIfNeeded: 8 * wordByteCount) &- count)) & mask
    }

    /// Section 5.3.5: the fractional parts of the square roots of the first 8 primes.
    private static let initial: [UInt64] = [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]

    /// Section 4.2.3: the fractional parts of the cube roots of the first 80 primes.
    private static let constants: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
}
