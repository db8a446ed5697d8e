import Foundation
import Testing

@testable import CairnModel

@Suite struct `Binary property list` {
    @Test func `keeps every kind of object`() throws {
        let long = String(repeating: "stone ", count: 50)
        let list = BinaryPropertyList(
            nodes: [
                .array(Array(1...13)), .null, .boolean(true), .integer(0), .integer(-1),
                .integer(70_000), .integer(.max), .real(-2.5), .date(1e9), .data([1, 2, 3]),
                .string("cairn"), .string(long), .string("pierre ⛰ \u{1F600}"),
                .dictionary(keys: [10], values: [14]), .reference(300),
            ], root: 0)
        var writer = BinaryPropertyListWriter(list)

        let read = try BinaryPropertyList(writer.write())

        #expect(read == list)
    }

    @Test func `is compatible with Foundation in both directions`() throws {
        let nodes: [BinaryPropertyList.Node] = [
            .dictionary(keys: [1], values: [2]), .string("größe"), .array([3, 4]), .integer(42),
            .real(0.5),
        ]
        var writer = BinaryPropertyListWriter(BinaryPropertyList(nodes: nodes, root: 0))

        let theirs = try PropertyListSerialization.propertyList(
            from: Data(writer.write()), options: [], format: nil)
        let again = try PropertyListSerialization.data(
            fromPropertyList: theirs, format: .binary, options: 0)
        let ours = try BinaryPropertyList(Array(again))

        let members = try #require(ours.members(of: ours.root)?["größe"])
        guard case .array(let indices) = ours.nodes[members] else {
            Issue.record("the member is no array")
            return
        }
        #expect(indices.map { ours.nodes[$0] } == [.integer(42), .real(0.5)])
    }

    @Test func `keeps an integer beyond 63 bits, and refuses one beyond 64`() throws {
        var writer = BinaryPropertyListWriter(
            BinaryPropertyList(nodes: [.unsigned(1 << 63)], root: 0))
        let written = writer.write()
        #expect(try BinaryPropertyList(written).nodes == [.unsigned(1 << 63)])
        let ones = Self.file(object: [0x14] + Array(repeating: 0xFF, count: 16))
        #expect(try BinaryPropertyList(ones).nodes == [.integer(-1)])

        let large = Self.file(object: [0x14, 1] + Array(repeating: 0, count: 15))

        #expect(throws: ArchiveError.self) { try BinaryPropertyList(large) }
    }

    @Test func `distinguishes values that are equal in meaning but not in bytes`() {
        let nodes: Set<BinaryPropertyList.Node> = [
            .real(0), .real(-0.0), .string("\u{E9}"), .string("e\u{301}"), .integer(0),
            .boolean(false), .date(0), .unsigned(0),
        ]

        #expect(nodes.count == 8)
    }

    @Test func `allows an array to contain itself`() throws {
        var writer = BinaryPropertyListWriter(BinaryPropertyList(nodes: [.array([0, 0])], root: 0))

        let read = try BinaryPropertyList(writer.write())

        #expect(read.nodes == [.array([0, 0])])
    }

    @Test(
        arguments: [
            // An object that extends beyond the offset table.
            [0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF], [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF],
            [0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF], [0x6F, 0x11, 0xFF, 0xFF],
            // A member that is not an object, an invalid marker, and a count that is not an integer.
            [0xA1, 0x07], [0x70], [0x0F], [0x15, 0], [0x24, 0], [0xAF, 0x51],
        ] as [[UInt8]]) func `refuses a malformed object`(_ object: [UInt8])
    {
        let bytes = Self.file(object: object)

        #expect(throws: ArchiveError.self) { try BinaryPropertyList(bytes) }
    }

    @Test func `refuses objects that overlap`() {
        // 200 offsets all refer to one array of 200 members.
        var bytes = Array("bplist00".utf8) + [0xAF, 0x10, 200] + Array(repeating: 0, count: 200)
        let table = bytes.count
        bytes += Array(repeating: 8, count: 200)
        bytes += Self.trailer(count: 200, table: table)

        #expect(throws: ArchiveError.damaged(offset: 8, detail: "objects overlap")) {
            try BinaryPropertyList(bytes)
        }
    }

    @Test func `refuses a trailer that points outside`() {
        for (count, table) in [(UInt64.max, 9), (1, .max), (2, 10), (0, 9)] as [(UInt64, UInt64)] {
            var bytes = Array("bplist00".utf8) + [0x08, 8, 0, 0, 0, 0, 0, 0, 1, 1]
            for value in [count, 0, table] {
                bytes += withUnsafeBytes(of: value.bigEndian, Array.init)
            }

            #expect(throws: ArchiveError.self) { try BinaryPropertyList(bytes) }
        }
    }

    private static func file(object: [UInt8]) -> [UInt8] {
        let bytes = Array("bplist00".utf8) + object
        return bytes + [8] + trailer(count: 1, table: bytes.count)
    }

    private static func trailer(count: Int, table: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
        for value in [count, 0, table] {
            bytes += withUnsafeBytes(of: UInt64(value).bigEndian, Array.init)
        }
        return bytes
    }
}
