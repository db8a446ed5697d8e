import Foundation
import Testing

@testable import CairnModel

@Suite struct `A value in a property list` {
    private static let values: [ArchivableValue] = [
        true, -1, .integer(.max), .unsigned(.max), 2.5, "größe 🗿", .data(Data([0, 255])),
        .date(Date(timeIntervalSinceReferenceDate: 1)), [], [:], ["a": [1, ["b": "c"]]],
        ["\u{E9}", "e\u{301}", .real(0), .real(-0.0)],
    ]

    @Test(arguments: values) func `is read with the value that was written`(
        _ value: ArchivableValue
    ) throws {
        #expect(try ArchivableValue(propertyList: value.propertyList()) == value)
    }

    @Test func `is compatible with Foundation in both directions`() throws {
        let value: ArchivableValue = ["a": [1, 2.5, true, "größe"], "b": .data(Data([1]))]

        let theirs = try PropertyListSerialization.propertyList(
            from: try value.propertyList(), options: [], format: nil)
        let again = try PropertyListSerialization.data(
            fromPropertyList: theirs, format: .binary, options: 0)

        #expect(try ArchivableValue(propertyList: again) == value)
    }

    @Test(
        arguments: [
            .null, .decimal(1), .uuid(UUID()), .set([1]), .orderedSet([1]), [1: "key"],
            .url(URL(fileURLWithPath: "/")), [["a": .null]],
        ] as [ArchivableValue])
    func `is refused if property lists cannot contain such values`(_ value: ArchivableValue) {
        #expect(throws: ArchiveError.self) { try value.propertyList() }
    }

    @Test func `is refused if it is an archive, cyclic, or in the XML form`() throws {
        let archive = try (["a"] as ArchivableValue).keyedArchive()
        var cycle = BinaryPropertyListWriter(BinaryPropertyList(nodes: [.array([0])], root: 0))
        var bomb = BinaryPropertyListWriter(
            BinaryPropertyList(
                nodes: [.array([])] + (0..<30).map { .array([$0, $0]) }, root: 30))
        let xml = try PropertyListSerialization.data(
            fromPropertyList: ["a"], format: .xml, options: 0)

        for data in [archive, Data(cycle.write()), Data(bomb.write()), xml] {
            #expect(throws: ArchiveError.self) { try ArchivableValue(propertyList: data) }
        }
    }
}
