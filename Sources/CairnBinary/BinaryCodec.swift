import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Reads and writes a whole store in the format of docs/formats/binary.md.
struct BinaryCodec: AtomicCodec {
    func begins(_ bytes: [UInt8]) -> Bool { BinaryHead.begins(bytes) }

    func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int? {
        try BinaryHead.byteCount(beginning, at: location)
    }

    func checkWhole(_ files: StoreFiles, at location: StoreLocation) throws(StoreError) {
        let fault = files.main.withUnsafeBytes { bytes -> String? in
            var reader = ByteReader(bytes)
            reader.skip(BinaryHead.fileLengthOffset)
            guard let count = reader.integer(UInt64.self), count == bytes.count,
                bytes.count >= BinaryHead.fixedByteCount + 2 * BinaryHead.sealByteCount
            else { return "its length differs from the length that it records" }
            let sealed = UnsafeRawBufferPointer(rebasing: bytes.dropLast(BinaryHead.sealByteCount))
            let seal = bytes.loadUnaligned(fromByteOffset: sealed.count, as: UInt64.self)
            return UInt64(littleEndian: seal) == Checksum.of(sealed)
                ? nil : "its checksum is wrong"
        }
        if let fault { throw .corrupt(location, location: "the whole file", detail: fault) }
    }

    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> BinaryHead {
        try BinaryHead(main, at: location)
    }

    func decode(
        _ files: StoreFiles, _ head: BinaryHead, into store: inout StoreBuilder
    ) throws(StoreError) {
        let entities = StoredEntities(
            names: head.entityNames, fingerprint: head.layouts, readWith: store.layouts,
            layoutFingerprints: Self.layoutFingerprints(of: head))
        guard let entities else { throw Self.otherLayout(at: store.location) }
        try store.setGeneration(head.generation, from: "the generation, bytes 32 to 40")
        try store.setNextKeys(head.nextKeys, from: "the head, “next keys”")
        var sections = SectionReader(entities, of: store)
        try sections.read(files.main, from: head.byteCount, into: &store)
    }

    /// Returns the fingerprint of each entity's rows, according to the model inside the store. Returns
    /// `nil` if that is not the model that the rows were written with.
    private static func layoutFingerprints(of head: BinaryHead) -> [UInt64]? {
        guard let model = head.model else { return nil }
        let written = StoredEntities(RowLayouts(model))
        guard written.names == head.entityNames, written.fingerprint == head.layouts else {
            return nil
        }
        return written.layoutFingerprints
    }

    static func otherLayout(at location: StoreLocation) -> StoreError {
        .unsupported(
            location, feature: "rows with another layout than that of the model",
            advice: "Open it with the model inside it, and copy it to a new store.")
    }

    func encode(_ content: StoreContent) throws(StoreError) -> StoreFiles {
        // The rows are written directly from the slabs of the table.
        var writer = FilePartsWriter(of: content.table)
        BinaryHead(content).write(to: &writer)
        SectionWriter(table: content.table).write(to: &writer)
        let count = writer.count + BinaryHead.sealByteCount
        writer.put(UInt64(count), atOwn: BinaryHead.fileLengthOffset)
        writer.append(writer.checksum(from: 0))
        return StoreFiles(writer.parts)
    }
}
