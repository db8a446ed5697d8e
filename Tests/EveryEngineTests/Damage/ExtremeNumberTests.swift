import Cairn
import CairnStore
import Foundation
import StoreFileSupport
import Testing

/// Every number in a whole-file store is replaced with numbers at the limits of its field.
@Suite struct `Extreme numbers in a whole-file store` {
    /// Opens the store with one number changed, and saves to it if it opens.
    ///
    /// - Returns: Whether the store could be read.
    private func tryStore(_ files: SampleFiles, saves: Bool) throws -> Bool {
        do {
            let store = try files.open(isReadOnly: !saves)
            defer { try? store.close() }
            let snapshot = try store.snapshot()
            for entity in files.model.entities where entity.superentity == nil {
                let cursor = try snapshot.cursor(FetchPlan(entity: entity))
                while let batch = try cursor.next(atMost: 100) {
                    let isSound = batch.rows.allSatisfy { $0.key > 0 && $0.version > 0 }
                    #expect(isSound, "a key or a version that no save gives")
                }
            }
            try SampleModel.readAll(store)
            if saves { try save(store) }
            return true
        } catch let error as StoreError {
            #expect(!"\(error)".isEmpty)
            return false
        }
    }

    /// Saves a new mark with a key that the store reserves.
    private func save(_ store: any PersistentStore) throws {
        let mark = try #require(store.request.model.entity(named: "Mark"))
        let save = try store.beginSave()
        let keys = try #require(try save.reserveKeys([mark.number: 1])[mark.number])
        var writer = RowWriter(store: store.number)
        writer.begin(
            store.request.layouts.layout(of: mark), key: keys.lowerBound, version: 1)
        writer.endRow()
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
        _ = try store.snapshot()
    }

    private static let texts =
        Set(
            ExtremeNumbers.signed.map(String.init) + ExtremeNumbers.unsigned.map(String.init)
                + ["99999999999999999999999"]
        ).sorted()

    // MARK: Text

    /// Returns the numbers in a text, one for each kind of field. The words before a number identify its
    /// kind.
    private func fields(_ text: String, _ pattern: Regex<(Substring, Substring, Substring)>)
        -> [(kind: String, range: Range<String.Index>)]
    {
        var kinds: Set<String> = []
        return text.matches(of: pattern).compactMap { match in
            let kind = String(match.output.1)
            return kinds.insert(kind).inserted
                ? (kind, match.output.2.startIndex..<match.output.2.endIndex) : nil
        }
    }

    private func tryTexts(
        _ files: SampleFiles, _ name: String?, _ pattern: Regex<(Substring, Substring, Substring)>,
        saving: Set<String>
    ) throws -> (kinds: [String], readCount: Int) {
        let text = try files.text(name)
        var readCount = 0
        let fields = fields(text, pattern)
        for field in fields {
            for number in Self.texts {
                let changed = text.replacingCharacters(in: field.range, with: number)
                let saves = saving.contains(field.kind)
                try files.write(Array(changed.utf8), name)
                if try tryStore(files, saves: saves) { readCount += 1 }
                if saves { try files.restore() }
            }
            try files.restore()
        }
        return (fields.map(\.kind), readCount)
    }

    @Test func `of XML are read or refused`() throws {
        let files = try SampleFiles(.xml)

        // The name of the attribute or key, followed by a number.
        let result = try tryTexts(
            files, nil,
            /((?:id|version|idrefs|orderkeys)="z?|<key>[A-Za-z]+<\/key>\s*<integer>|<version>|<nextObjectID>|type="(?:int16|int32|int64|bool|date|double|decimal)">)(-?\d+)/,
            saving: ["id=\"z", "version=\"", "<key>Mark</key>\n<integer>"])

        #expect(result.kinds.count >= 10, "\(result.kinds)")
        #expect(result.readCount > 0)
    }

    @Test func `of a folder store are read or refused`() throws {
        let files = try SampleFiles("Folder")

        let index = try tryTexts(
            files, "store.json", /"([A-Za-z]+)" : (-?\d+)/, saving: ["generation", "Mark"])
        let object = try tryTexts(
            files, "Item-1.json", /"([A-Za-z]+)" : "?(?:Box\/)?(-?\d+)/, saving: [])

        #expect(
            Set(index.kinds).isSuperset(of: ["generation", "objectCount", "Mark", "ownerOrder"]))
        #expect(Set(object.kinds).isSuperset(of: ["key", "version", "aLong", "box"]))
        #expect(index.readCount > 0 && object.readCount > 0)
    }

    // MARK: Binary

    /// Returns the numbers of a binary file: those before the record, those of each section, and those of the
    /// first row, pair or order key in each section.
    private func binaryFields(_ bytes: [UInt8]) -> [(offset: Int, byteCount: Int)] {
        func number(_ offset: Int) -> Int {
            bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var fields = [(8, 4), (12, 4), (24, 8), (32, 8), (40, 8)]
        var section = number(24)
        while section + 24 < bytes.count - 8 {
            let count = number(section + 16)
            fields += [(section, 4), (section + 4, 4), (section + 8, 8), (section + 16, 8)]
            let words = stride(from: section + 24, to: section + 24 + min(count, 96), by: 8)
            fields += words.map { ($0, 8) }
            fields += [(section + 24, 4), (section + 28, 2), (section + 30, 2)]
            section += 24 + count
        }
        return fields
    }

    @Test func `of a binary store are read or refused`() throws {
        let files = try SampleFiles(.binary)
        let original = try files.bytes()
        let fields = binaryFields(original)
        var readCount = 0

        for (offset, byteCount) in fields {
            for pattern in ExtremeNumbers.littleEndian(byteCount: byteCount) {
                var bytes = original
                bytes.replaceSubrange(offset..<offset + byteCount, with: pattern)
                try files.write(bytes)
                if try tryStore(files, saves: offset == 32) { readCount += 1 }
            }
        }

        #expect(fields.count > 60)
        #expect(readCount > 0)
    }

    @Test func `of a binary store's next keys are read or refused`() throws {
        let files = try SampleFiles(.binary)
        let original = try files.bytes()
        // A dictionary entry: the name after its length, the tag of an integer, and the integer.
        let entry = [UInt8]([4, 0, 0, 0, 0, 0, 0, 0]) + Array("Mark".utf8) + [2]
        let start = try #require(Data(original).range(of: Data(entry))).upperBound

        for pattern in ExtremeNumbers.littleEndian(byteCount: 8) {
            var bytes = original
            bytes.replaceSubrange(start..<start + 8, with: pattern)
            try files.write(bytes)
            let number = Int64(
                bitPattern: pattern.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })

            let isRead = try tryStore(files, saves: true)

            #expect(isRead == (number > 0 && number < .max), "\(number)")
        }
    }
}
