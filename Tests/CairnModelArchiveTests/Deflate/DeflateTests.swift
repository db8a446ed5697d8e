import CairnTestSupport
import Foundation
import Testing

@testable import CairnModelArchive

@Suite struct `Raw deflate` {
    // Made by zlib: compressobj(level, DEFLATED, -15, 9, strategy).
    @Test func `unpacks what zlib packed`() throws {
        let stored = "010600f9ff73746f726564"
        let fixed = "4b4ecc2cca53481e312400"
        let dynamic =
            "5d934b6e05210c04afc211f00f06cd6922258b2c93a7dc3ff4aca8b7c4b2eceaa6dddbebe7efe3f7"
            + "ebb37dbf5abf9b9d6fbb9b9fefbc5b9cef75b744ffb85b9d05afbb8db310bb6362e49e719d85b197"
            + "acb3706d0aeb58d3054a525717602df7240bf2ed6d46e4b5898cd0a2b6411dea02b85f9a05f4706d"
            + "5cd42b0f419fa277d067aa8b565f7b9683be7c6f74d0d7dc5c0efa217a07fd78ba403f9f59a09fcf"
            + "465a2fae00fd127d807e4963d0fb2e2b82e677391674df646c14bf520a62b0a66f0a48b0d06fc6f5"
            + "f6e7da0b1156ca463241433292111a4a5a52c7541c933a2e6536df52a4602763d4a5239923d38924"
            + "83e45df3a0c3a36b2f7478f6cd579db9948e820e1f4f1f74f8d4bc0a06587b0b3a7c3d270c1df1e8"
            + "289eb1496fcdb7f46b1e2f22e45ff124523eff03"
        let squares = (0..<60).map { "\($0) squared is \($0 * $0); " }.joined()

        #expect(try text(stored) == "stored")
        #expect(try text(fixed) == String(repeating: "cairn ", count: 40))
        #expect(try text(dynamic) == squares)
    }

    private func text(_ hex: String) throws -> String {
        let digits = hex.compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
        return String(decoding: try Inflater.inflate(bytes, limit: 10_000), as: UTF8.self)
    }

    @Test func `packs and unpacks bytes of every kind`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "packing bytes"))
        var samples: [[UInt8]] = [[], [7], Array(repeating: 0, count: 100_000)]
        samples.append((0..<70_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        samples.append((0..<200_000).map { _ in UInt8.random(in: 0...3, using: &random) })
        samples.append((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) })

        for sample in samples {
            let packed = Deflater.deflate(sample)
            #expect(try Inflater.inflate(packed, limit: sample.count) == sample)
        }
    }

    @Test func `makes text smaller`() {
        let text = Array(
            String(repeating: "NSAttributeDescription NSPropertyName ", count: 500).utf8)

        #expect(Deflater.deflate(text).count < text.count / 50)
    }

    @Test func `stops at the limit`() {
        let packed = Deflater.deflate(Array(repeating: 1, count: 1000))

        #expect(throws: DeflateError.tooLarge(limit: 999)) {
            try Inflater.inflate(packed, limit: 999)
        }
    }

    @Test func `gives an error or bytes for every damaged stream`() throws {
        let packed = Deflater.deflate(Array("a cairn is a stack of stones, stones, stones".utf8))

        for count in 0..<packed.count {
            #expect(throws: DeflateError.self) {
                try Inflater.inflate(Array(packed.prefix(count)), limit: 10_000)
            }
        }
        var unpackedCount = 0
        for offset in packed.indices {
            for bit in 0..<8 {
                var damaged = packed
                damaged[offset] ^= 1 << bit
                if (try? Inflater.inflate(damaged, limit: 10_000)) != nil { unpackedCount += 1 }
            }
        }
        #expect(unpackedCount < packed.count * 8)
    }
}
