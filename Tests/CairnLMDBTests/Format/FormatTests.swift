import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@testable import CairnLMDB

@Suite struct `LMDB format` {
    /// The values are from xxhsum's own test and from the specification.
    @Test(
        arguments: [
            ("", 0xef46_db37_51d8_e999), ("a", 0xd24e_c4f1_a98c_6e5b),
            ("abc", 0x44bc_2cf5_ad77_0999),
            ("message digest", 0x066e_d728_fcee_b3be),
            ("abcdefghijklmnopqrstuvwxyz", 0xcfe1_f278_fa89_835c),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                0xaaa4_6907_d304_7814
            ),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0xe04a_477f_19ee_145d
            ),
        ] as [(String, UInt64)])
    func `has the checksums of XXH64`(_ text: String, _ hash: UInt64) {
        let computed = Array(text.utf8).withUnsafeBytes(Checksum.of)

        #expect(computed == hash)
    }

    @Test func `notices every flipped bit`() {
        let sealed = Sealed.seal(Array("forty-two bytes or so of a row, more or less".utf8))

        let unnoticed = (0..<sealed.count * 8).filter { bit in
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            return damaged.withUnsafeBytes { Sealed.open($0) != nil }
        }

        #expect(unnoticed == [])
        #expect(sealed.withUnsafeBytes { Sealed.open($0) != nil })
    }

    @Test func `reads any metadata, and nothing else`() throws {
        let value = MetadataValue.dictionary([
            "a": "text", "b": 7, "c": .real(-.infinity), "d": true,
            "e": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            "f": .data(Data([1, 2])), "g": .array(["x", .dictionary([:]), .array([])]),
        ])
        let bytes = MetadataCodec.encode(value)

        let back = bytes.withUnsafeBytes(MetadataCodec.decode)
        let cut = (0..<bytes.count).filter { count in
            Array(bytes[..<count]).withUnsafeBytes(MetadataCodec.decode) != nil
        }

        #expect(back == value)
        #expect(cut == [])
        #expect((bytes + [0]).withUnsafeBytes(MetadataCodec.decode) == nil)
        let deep = [UInt8]((0..<100_000).flatMap { _ in [7, 1, 0, 0, 0, 0, 0, 0, 0] })
        #expect(deep.withUnsafeBytes(MetadataCodec.decode) == nil)
    }

    @Test func `orders keys in the order of the values`() throws {
        let integers: [Value] = [Int64.min, -70_000, -1, 0, 1, 255, 256, .max].map(Value.integer)
        let doubles: [Double] = [
            .nan, -.infinity, -1e300, -1.5, -Double.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude,
            1.5, 1e300, .infinity,
        ]
        let decimals = [
            "-1e60", "-12.5", "-12", "-1.25", "-1.2", "-0.001", "0", "0.0001", "0.001", "0.0011",
            "1", "1.2", "9", "10", "12345678901234567890123456789012345678", "1e100",
        ].map { Value.decimal(Decimal(string: $0) ?? .nan) }
        let texts: [Value] = ["", "\u{0}", "a", "a\u{0}", "ab", "b", "ä", "\u{10ffff}"]

        for (values, kind) in [
            (integers, RowLayout.Kind.int64), (doubles.map(Value.double), .double),
            ([.decimal(.nan)] + decimals, .decimal), (texts, .string),
            ([false, true], .boolean),
        ] {
            let keys = try values.map { try #require(IndexKey.of($0, as: kind)) }
            #expect(zip(keys, keys.dropFirst()).allSatisfy(KeyRange.precedes), "\(kind)")
            #expect(keys.allSatisfy { KeyRange.precedes(IndexKey.null, $0) })
        }
        #expect(IndexKey.of(.double(-0.0), as: .double) == IndexKey.of(.double(0), as: .double))
        #expect(
            IndexKey.of(.decimal(Decimal(string: "1.500") ?? .nan), as: .decimal)
                == IndexKey.of(.decimal(Decimal(string: "1.5") ?? .nan), as: .decimal))
    }

    @Test func `gives each part of a model a table of its own, whatever its name`() throws {
        let long = String(repeating: "n", count: 600)
        let names = ["a/b", "a", "b", "a%2fb", "#", "\u{1}", long, long + "x"]
        let entities = names.map { name in
            EntityDescription(name, [.attribute("b", .string), .attribute("b/c", .string)])
        }
        let model = try ManagedObjectModel(entities)

        let tables = model.entities.flatMap { entity in
            [TableName.rows(entity)] + entity.attributes.map(TableName.index)
        }

        #expect(Set(tables).count == names.count * 3)
        #expect(tables.allSatisfy { $0.utf8.count < 511 && !$0.utf8.contains(0) })
        #expect(tables.allSatisfy { $0 > TableName.metadata })
    }

    @Test func `puts a link's bytes in the order of its objects`() {
        let links = [
            LinkKey(1, 2), LinkKey(1, 300), LinkKey(2, 1), LinkKey(256, 0), LinkKey(.max, .max),
        ]

        let bytes = links.map { $0.withBytes { Array($0) } }

        #expect(zip(bytes, bytes.dropFirst()).allSatisfy(KeyRange.precedes))
        for (link, bytes) in zip(links, bytes) {
            let back = bytes.withUnsafeBytes { LinkKey($0) }
            #expect(back?.owner == link.owner && back?.member == link.member)
        }
    }
}
