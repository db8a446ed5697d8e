import CairnBinary
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@Suite struct `A damaged whole file` {
    /// A store with rows of every kind of attribute, pairs and orders, as a file's bytes.
    private struct Sample {
        let engine: any PersistentStore.Type
        let model: ManagedObjectModel
        let folder: TemporaryFolder
        let location: StoreLocation
        let bytes: [UInt8]
        let content: [String]

        init(_ type: String) throws {
            engine = try #require(CounterStore.engines.first { $0.type.rawValue == type })
            model = try ManagedObjectModel(SampleModel.entities)
            folder = try TemporaryFolder()
            location = .file(folder.file("sample"))
            let store = try engine.open(OpenRequest(location: location, model: model))
            try SampleModel.fill(store)
            content = try SampleModel.readAll(store)
            try store.close()
            bytes = try Array(Data(contentsOf: folder.file("sample")))
        }

        /// Puts bytes in the file's place and reads whatever can be read; nil where it is refused.
        func read(_ bytes: [UInt8]) throws -> [String]? {
            try Data(bytes).write(to: folder.file("sample"))
            _ = engine.recognizes(location)
            _ = try? engine.metadata(at: location)
            _ = try? engine.model(at: location)
            _ = try? engine.entityCounts(at: location)
            let request = OpenRequest(
                location: location, model: model, isReadOnly: true, createsMissing: false)
            guard let store = try? engine.open(request) else { return nil }
            let content = try SampleModel.readAll(store)
            try store.close()
            return content
        }
    }

    @Test(arguments: CounterStore.typeNames)
    func `is refused or read as it was after any of 500 changes`(_ type: String) throws {
        let sample = try Sample(type)
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        #expect(try sample.read(sample.bytes) == sample.content)

        for _ in 0..<500 {
            // What opens has lost no more than its checksum, and is read as it was.
            if let found = try sample.read(damaged(sample.bytes, &random)) {
                #expect(found == sample.content)
            }
        }
    }

    @Test func `in XML never ends the process, though no checksum refuses it`() throws {
        let sample = try Sample("XML")
        let document = Array(sample.bytes.dropLast(42))
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)

        var opened = 0
        for _ in 0..<500 where try sample.read(damaged(document, &random)) != nil { opened += 1 }

        #expect(opened > 20)
    }

    @Test func `never ends the process, whatever bytes its checksums vouch for`() throws {
        let sample = try Sample("Binary")
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)

        var opened = 0
        for _ in 0..<500 {
            let bytes = sealed(damaged(sample.bytes, &random))
            if try sample.read(bytes) != nil { opened += 1 }
        }

        // Most changes hit a value and are as good as it was.
        #expect(opened > 20)
    }

    @Test(arguments: CounterStore.typeNames)
    func `of another kind is refused with its kind named`(_ type: String) throws {
        let sample = try Sample(type)
        let kinds = [
            "": "an empty file", "SQLite format 3\0 and so on": "a SQLite database",
            "bplist00": "a binary property list", "hello": "a file of another kind",
        ]

        for (text, kind) in kinds {
            try Data(text.utf8).write(to: sample.folder.file("sample"))
            let error = #expect(throws: StoreError.self) {
                try sample.engine.open(
                    OpenRequest(location: sample.location, model: sample.model))
            }
            guard case .notAStore(_, _, let found)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(found == kind)
            let isRecognized = sample.engine.recognizes(sample.location)
            #expect(!isRecognized)
        }
    }

    /// One to three flipped bits, a cut, or a piece of the file in another place.
    private func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        let original = bytes
        repeat {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            case 1:
                let length = Int.random(in: 1...64, using: &random)
                let from = Int.random(in: 0..<bytes.count - length, using: &random)
                let to = Int.random(in: 0..<bytes.count - length, using: &random)
                bytes.replaceSubrange(to..<to + length, with: Array(bytes[from..<from + length]))
            default:
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
        } while bytes == original
        return bytes
    }

    /// The bytes with the length and both checksums of a sound file.
    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 64 else { return bytes }
        var bytes = bytes
        func put(_ value: UInt64, at offset: Int) {
            for index in 0..<8 { bytes[offset + index] = UInt8(value >> (8 * index) & 0xff) }
        }
        func seal(_ range: Range<Int>) -> UInt64 {
            bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        put(UInt64(bytes.count), at: 16)
        let head = bytes[24..<32].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if let end = Int(exactly: head), end > 56, end < bytes.count - 8 {
            put(seal(24..<end - 8), at: end - 8)
        }
        put(seal(0..<bytes.count - 8), at: bytes.count - 8)
        return bytes
    }
}
