import CairnAtomicStore
import CairnFiles
import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// A whole store as Core Data's XML.
struct XMLCodec: TableCodec {
    let type = XMLStore.type
    private let request: OpenRequest
    private let names: NameTable
    /// Encoded once: a save writes it anew, unchanged.
    private let model: Data

    init(_ request: OpenRequest) {
        self.request = request
        names = NameTable(request.model)
        model = Data(ModelCache.encode(request.model))
    }

    func begins(_ bytes: [UInt8]) -> Bool { FileKind.isXML(bytes) }

    func decode(_ bytes: [UInt8], _ schema: TableSchema) throws(StoreError) -> AtomicContent {
        let document = try StoreDocument(bytes, at: request.location)
        let metadata = document.storeMetadata
        if let key = document.malformedKey {
            throw .corrupt(
                request.location, place: "the metadata “\(key)”",
                detail: "an entry is missing or of another type")
        }
        try check(document, metadata)
        let number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        let identifiers = try identifiers(document)
        var reader = DocumentReader(
            document, names: names, identifiers: identifiers, table: RowTable(schema),
            store: number, location: request.location)
        try reader.read()
        return AtomicContent(
            table: reader.table, metadata: metadata, nextKeys: try nextKeys(document),
            sharesKeys: identifiers.roots == nil)
    }

    private func check(
        _ document: StoreDocument, _ metadata: StoreMetadata
    ) throws(StoreError) {
        // Metadata may be empty; then the names in the file must do, as for a derived model.
        if metadata.entityVersionHashes.isEmpty || ModelDerivation.made(request.model) { return }
        let stored = metadata.entityVersionHashes
        var kept: ModelDescription?
        // The model inside is asked only where a hash differs.
        if stored != request.model.entityVersionHashes {
            do throws(StoreError) { kept = try document.model(at: request.location) } catch {}
        }
        try CompatibilityCheck(request: request, stored: stored, cachedModel: kept).run()
    }

    private func identifiers(_ document: StoreDocument) throws(StoreError) -> ObjectIdentifiers {
        guard let names = document.rootEntities else { return ObjectIdentifiers(roots: nil) }
        var roots: [EntityNumber] = []
        for name in names {
            guard let entity = request.model.entity(named: name), !roots.contains(entity.number)
            else {
                throw .corrupt(
                    request.location, place: "the metadata “\(StoreDocument.Key.rootEntities)”",
                    detail: "it names an entity that the model does not have, or one twice")
            }
            roots.append(entity.number)
        }
        return ObjectIdentifiers(roots: roots)
    }

    private func nextKeys(
        _ document: StoreDocument
    ) throws(StoreError) -> [EntityNumber: Int64] {
        var keys: [EntityNumber: Int64] = [:]
        for (name, key) in document.nextKeys {
            guard key > 0 else {
                throw .corrupt(
                    request.location, place: "the metadata “\(StoreDocument.Key.nextKeys)”",
                    detail: "the next key of “\(name)” is \(key)")
            }
            if let entity = request.model.entity(named: name) { keys[entity.number] = key }
        }
        return keys
    }

    func encode(_ content: AtomicContent) throws(StoreError) -> FileParts {
        let identifiers = identifiers(for: content)
        var head = HeadWriter(content, identifiers: identifiers, model: model)
        return try DocumentWriter(content, names: names, identifiers: identifiers)
            .write(behind: try head.write())
    }

    /// Keys as they are in a file that has them so, and where one is too large for the other way.
    private func identifiers(for content: AtomicContent) -> ObjectIdentifiers {
        let table = content.table
        let placed = ObjectIdentifiers(roots: table.schema.rootEntities)
        let fits = table.schema.rootEntities.allSatisfy { root in
            placed.identifier(root: root, key: max(table.highestKey(root: root), 1)) != nil
        }
        let hasKeys = (content.sharesKeys || !fits) && hasDistinctKeys(table)
        return hasKeys ? ObjectIdentifiers(roots: nil) : placed
    }

    /// Whether no two objects of the store have one key, as identifiers of Core Data's must.
    private func hasDistinctKeys(_ table: RowTable) -> Bool {
        var keys: Set<Int64> = []
        for root in table.schema.rootEntities {
            let rows = table.rows(root: root)
            var position = rows.start
            while let (key, _) = rows.next(&position) {
                if !keys.insert(key).inserted { return false }
            }
        }
        return true
    }
}
