import CairnModel
import CairnStore

extension MessageWriter {
    mutating func metadata(_ metadata: StoreMetadata) {
        text(metadata.identifier)
        list(metadata.entityVersionHashes) { writer, entry in
            writer.text(entry.key)
            writer.block(entry.value.bytes)
        }
        list(metadata.modelVersionIdentifiers) { $0.text($1) }
        optional(metadata.frameworkVersion) { $0.integer(Int64($1)) }
        values(metadata.values)
    }
}

extension MessageReader {
    mutating func metadata() throws(MessageDamage) -> StoreMetadata {
        let identifier = try text()
        let hashes = try list { reader throws(MessageDamage) in
            (try reader.text(), VersionHash(try reader.block()))
        }
        let identifiers = try list { reader throws(MessageDamage) in try reader.text() }
        let version = try optional { reader throws(MessageDamage) in
            try reader.integer(Int64.self)
        }
        return StoreMetadata(
            identifier: identifier, type: SocketStore.type,
            entityVersionHashes: Dictionary(hashes, uniquingKeysWith: { first, _ in first }),
            modelVersionIdentifiers: identifiers,
            frameworkVersion: version.map { Int(truncatingIfNeeded: $0) }, values: try values())
    }
}
