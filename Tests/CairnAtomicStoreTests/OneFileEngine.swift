import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// An engine whose stores are single text files: a header line, then one line for each object.
final class OneFileEngine: AtomicEngine {
    static let type: StoreType = "Lines"
    static let capabilities = StoreCapabilities.atomic(options: ["comment"])
    static let codec: any AtomicCodec = LinesCodec()
    let atomicStore: AtomicStore
    init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
}

/// The header line of a store. It always has 64 bytes and contains the identifier.
struct LinesHead: AtomicHead {
    static let byteCount = 64
    let identifier: String
    /// The number of bytes that the codec was given to read the line from.
    let givenByteCount: Int

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: OneFileEngine.type, entityVersionHashes: [:],
            values: ["given": .integer(Int64(givenByteCount))])
    }
}

struct LinesCodec: AtomicCodec {
    func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("lines ".utf8)) }

    func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int? { LinesHead.byteCount }

    func checkWhole(_ files: StoreFiles, at location: StoreLocation) throws(StoreError) {
        if files.main.last == UInt8(ascii: "\n") { return }
        throw .corrupt(location, location: "the end", detail: "the last line is cut off")
    }

    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> LinesHead {
        let words = String(decoding: main.prefix(LinesHead.byteCount), as: UTF8.self)
            .split(separator: " ")
        guard words.count == 3 else {
            throw .corrupt(location, location: "line 1", detail: "it has \(words.count) words")
        }
        return LinesHead(identifier: String(words[1]), givenByteCount: main.count)
    }

    /// The format records no hashes.
    func comparesHashes(of head: LinesHead, with model: ManagedObjectModel) -> Bool { false }

    func decode(
        _ files: StoreFiles, _ head: LinesHead, into store: inout StoreBuilder
    ) throws(StoreError) {
        var writer = RowWriter(store: store.number)
        guard let entity = store.layouts.model.entities.first else { return }
        let lines = String(decoding: files.main, as: UTF8.self).split(separator: "\n").dropFirst()
        for line in lines {
            guard let key = Int64(line) else {
                throw .corrupt(store.location, location: "“\(line)”", detail: "it is no key")
            }
            writer.begin(store.layouts.layout(of: entity), key: key, version: 1)
            writer.endRow()
        }
        try store.load(writer.takeBatch(), of: entity)
    }

    func encode(_ content: StoreContent) throws(StoreError) -> StoreFiles {
        let start = "lines \(content.metadata.identifier) "
        let padding = String(repeating: ".", count: LinesHead.byteCount - start.utf8.count - 1)
        let keys = content.rows.map { "\($0.key)\n" }.joined()
        return StoreFiles(main: Array("\(start)\(padding)\n\(keys)".utf8))
    }
}
