import CairnAtomicStore
import CairnFiles
import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// A whole store as the bytes of docs/formats/binary.md.
struct BinaryCodec: TableCodec {
    let type = BinaryStore.type
    private let request: OpenRequest
    /// Encoded once: a save writes it anew, unchanged.
    private let model: Data

    init(_ request: OpenRequest) {
        self.request = request
        model = Data(ModelCache.encode(request.model))
    }

    func begins(_ bytes: [UInt8]) -> Bool { BinaryHead.begins(bytes) }

    func decode(_ bytes: [UInt8], _ schema: TableSchema) throws(StoreError) -> AtomicContent {
        try checkWhole(bytes)
        let (head, end) = try BinaryHead.read(bytes, at: request.location)
        let numbering = StoreNumbering(names: head.entityNames, model: request.model)
        try check(head, numbering)
        let number = StoreDirectory.shared.number(
            identifier: head.metadata.identifier, location: request.location, model: request.model)
        var sections = SectionReader(
            RowTable(schema), numberedBy: numbering, store: number, location: request.location)
        try sections.read(bytes, from: end)
        return AtomicContent(
            table: sections.table, metadata: head.metadata, nextKeys: nextKeys(head),
            generation: head.generation)
    }

    /// - Throws: `.corrupt` for a file that is not as long, or not as it was written.
    private func checkWhole(_ bytes: [UInt8]) throws(StoreError) {
        let fault = bytes.withUnsafeBytes { bytes -> String? in
            var reader = ByteReader(bytes)
            reader.skip(BinaryHead.fileLengthOffset)
            guard let count = reader.integer(UInt64.self), count == bytes.count,
                bytes.count >= BinaryHead.fixedByteCount + 2 * BinaryHead.sealByteCount
            else { return "it is not as long as it says" }
            let sealed = UnsafeRawBufferPointer(rebasing: bytes.dropLast(BinaryHead.sealByteCount))
            let seal = bytes.loadUnaligned(fromByteOffset: sealed.count, as: UInt64.self)
            return UInt64(littleEndian: seal) == Checksum.of(sealed)
                ? nil : "its bytes are not what was written"
        }
        if let fault {
            throw .corrupt(request.location, place: "the whole file", detail: fault)
        }
    }

    private func check(
        _ head: BinaryHead, _ numbering: StoreNumbering?
    ) throws(StoreError) {
        let stored = head.metadata.entityVersionHashes
        var kept: ModelDescription?
        // The model inside is asked only where a hash differs: reading it takes longer than a thousand
        // rows do.
        if stored != request.model.entityVersionHashes {
            do throws(StoreError) { kept = try head.model(at: request.location) } catch {}
        }
        try CompatibilityCheck(request: request, stored: stored, cachedModel: kept).run()
        let layouts = request.layouts
        let fingerprint =
            numbering.map { layouts.fingerprint(numberedBy: $0) }
            ?? layouts.fingerprint(ofFirst: head.entityNames.count)
        guard head.layouts == fingerprint else {
            throw .unsupported(
                request.location, feature: "rows laid out otherwise than the model's",
                advice: "Open it with the model inside, and copy it to a new store.")
        }
    }

    private func nextKeys(_ head: BinaryHead) -> [EntityNumber: Int64] {
        var keys: [EntityNumber: Int64] = [:]
        for (name, key) in head.nextKeys {
            if let entity = request.model.entity(named: name) { keys[entity.number] = key }
        }
        return keys
    }

    func encode(_ content: AtomicContent) throws(StoreError) -> FileParts {
        // The rows are written from the slabs that the table has.
        var writer = ByteWriter(of: content.table)
        BinaryHead(content, layouts: request.layouts, model: model).write(to: &writer)
        SectionWriter(table: content.table).write(to: &writer)
        let count = writer.count + BinaryHead.sealByteCount
        writer.put(UInt64(count), atOwn: BinaryHead.fileLengthOffset)
        writer.append(writer.checksum(from: 0))
        return writer.parts
    }
}
