import CairnTestSupport
import Foundation
import Testing

/// The properties of a class, the slots of its rows and those of its objects are numbered independently. Their types
/// keep them apart, provided that only the files of one folder convert between numbers and slots.
@Suite struct `Slot numbers` {
    private static let folderOfSlots = "Slots"

    /// Returns the code patterns that create a slot from an arbitrary number, or use one slot's number for
    /// another.
    private static func conversions(in source: String) -> [String] {
        [
            #"\b(Row|Object)Slot(\(|\.init)"#, #"\bmark\.bytes"#,
            #"\bPropertyStorage\b"#, #"\.(slots|properties)\["#, #"\.slots\.(indices|enumerated)"#,
        ].filter { source.range(of: $0, options: .regularExpression) != nil }
    }

    @Test func `are created only in the folder of the mapping`() throws {
        let files = try SourceFiles.all().filter {
            $0.module == "CairnObjects" && !$0.path.contains("/\(Self.folderOfSlots)/")
        }

        let found = files.flatMap { file in
            Self.conversions(in: file.text).map { "\(file.path): \($0)" }
        }

        #expect(found == [])
        #expect(files.count > 100)
    }

    @Test(arguments: [
        "let slot = RowSlot(3)", "indices.map(RowSlot.init)", "RowSlot(mark.bytes)",
        "layout.slots[slot.index]", "kind.layout.properties[number]",
        "for (slot, property) in layout.slots.enumerated() {",
    ])
    func `are detected if they are converted elsewhere`(_ source: String) {
        let found = Self.conversions(in: source)

        #expect(!found.isEmpty)
    }
}
