import CairnModel
import CairnRows
import CairnStore

/// Fills an empty store with the whole content of one state of another store.
///
/// Rows are written first, by root entity and key. Pairs and orders follow when all of their
/// objects are there. Each batch is saved on its own. If the copy's store writes its whole file
/// with each save, all batches are saved together. The last save also sets the metadata, and
/// reserves the keys that the source has already given.
struct StoreFilling {
    private let copy: any PersistentStore
    private let source: any PersistentStore
    private let snapshot: any StoreSnapshot
    /// The entities that the source holds.
    private let entities: [Entity]
    /// The entities that the copy holds.
    private let newEntities: [Entity]
    private var contents: CopiedContents
    /// The last save. If the copy is an atomic store, this contains everything, because such a
    /// store has all of it in memory anyway.
    private var last = SaveRequest()
    private var progress = StoreCopyProgress(totalObjectCount: 0)
    /// Facts about the rows that were written.
    private(set) var notes = CopyNotes()
    /// The lowest key that has never been assigned, for each root entity of the copy. Root entities can be
    /// left out if it does not matter.
    var nextKeys: [EntityNumber: Int64] = [:]

    /// - Parameters:
    ///   - source: the store whose newest state is copied. It may have another version of the
    ///     copy's model.
    ///   - allowsMissingExternalData: whether values whose files are missing become `nil`.
    ///   - allowsUnexplainedValues: whether values that the source's model does not explain are left
    ///     out.
    ///   - sharesExternalData: whether the copy already has the files of the source's external
    ///     values.
    ///   - isVerified: whether ``notes`` should contain the sums that the copy must have.
    ///   - mapping: makes the conversion from the layouts of both stores. `nil` means an inferred one.
    /// - Throws: `.unsupported` if the source has values that its model does not explain, unless they
    ///   are allowed; the errors of finding them, and of taking a snapshot of the source.
    init(
        of copy: any PersistentStore, from source: any PersistentStore,
        allowsMissingExternalData: Bool = false, allowsUnexplainedValues: Bool = false,
        sharesExternalData: Bool = false, isVerified: Bool = false,
        mapping: ((RowLayouts, RowLayouts, [Entity]) throws(StoreError) -> ContentMapping)? = nil
    ) throws(StoreError) {
        if !allowsUnexplainedValues { try source.requireExplainedValues() }
        self.copy = copy
        self.source = source
        let (old, new) = (source.request, copy.request)
        entities = try CompatibilityCheck.entities(of: old)
        newEntities = try CompatibilityCheck.entities(of: new)
        snapshot = try source.snapshot()
        contents = CopiedContents(
            snapshot: snapshot,
            mapping: try mapping?(old.layouts, new.layouts, newEntities)
                ?? ContentMapping(from: old.layouts, to: new.layouts, holding: newEntities),
            store: copy.number, allowsMissingExternalData: allowsMissingExternalData,
            sharesExternalData: sharesExternalData)
        if isVerified { notes.sums = ContentSums(of: copy.number, new.layouts) }
    }

    /// Ends the snapshot of the source, instead of ``run(_:)``.
    func discard() { snapshot.end() }

    /// Copies the whole content. Call it only once. `report` is called after each save. The
    /// snapshot of the source is ended.
    ///
    /// - Throws: `.cancelled`; `.migrationRefused` if relationships became each other's inverse without
    ///   having the same pairs; the errors of reading the source and saving to the copy.
    mutating func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> StoreCopyProgress {
        defer { snapshot.end() }
        progress.totalObjectCount = try countObjects()
        try proceed(report)
        for ends in contents.mapping.joinedEnds { try contents.requireAgreement(of: ends) }
        try readLinks(report)
        for root in roots { try copyRows(of: root, report) }
        contents.links = []
        for source in contents.mapping.pairSources(of: newEntities) {
            if !notes.writtenRelationships.contains(source.told) {
                notes.writtenRelationships.append(source.told)
            }
            try copyPairs(from: source, report)
        }
        last.metadata = try applicationValues()
        try save(last, reservingUpTo: nextKeys)
        progress.missingValues = notes.missingValues
        return progress
    }

    /// The entities of the source whose superentities are not among its entities.
    private var roots: [Entity] {
        let numbers = Set(entities.map(\.number))
        return entities.filter { entity in
            !sequence(first: entity, next: \.superentity).dropFirst().contains {
                numbers.contains($0.number)
            }
        }
    }

    private func countObjects() throws(StoreError) -> Int {
        var total = 0
        for root in roots { total += try snapshot.count(FetchPlan(entity: root)) ?? 0 }
        return total
    }

    // MARK: Rows

    private mutating func copyRows(
        of root: Entity, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        let cursor = try snapshot.cursor(FetchPlan(entity: root))
        var size = BatchSize()
        while let rows = try cursor.next(atMost: size.rowCount) {
            size.note(rows)
            var next = 0
            while next < rows.count {
                let first = next
                let request = try contents.request(for: rows, from: &next, noting: &notes)
                try notes.sums?.add(request.inserted)
                progress.objectCount += next - first
                progress.missingValues = notes.missingValues
                try save(request, report)
            }
        }
    }

    // MARK: Pairs

    private mutating func copyPairs(
        from source: PairSource, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        let contents = contents
        try contents.forEachShare(of: source) { (share) throws(StoreError) in
            try save(share, report)
        }
    }

    /// Reads the destinations that follow from inverse relationships.
    private mutating func readLinks(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        let contents = contents
        var links: [[Int64: ObjectID]] = []
        for link in contents.mapping.links {
            var found: [Int64: ObjectID] = [:]
            for source in link.pairs {
                try contents.forEachShare(of: source) { (share) throws(StoreError) in
                    for pair in share where found[pair.member.key] == nil {
                        found[pair.member.key] = pair.owner
                    }
                    try proceed(report)
                }
            }
            links.append(found)
        }
        self.contents.links = links
    }

    private mutating func save(
        _ pairs: [PairChange], _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        if pairs.isEmpty { return }
        notes.sums?.add(pairs)
        progress.pairCount += pairs.count
        try save(SaveRequest(pairs: pairs), report)
    }

    // MARK: Metadata

    /// Returns the application's values. Values that describe the source's file, and values that
    /// the copy sets itself, are left out.
    private func applicationValues() throws(StoreError) -> [String: MetadataValue] {
        let own = try copy.metadata().values
        return try source.metadata().values.filter { name, _ in
            own[name] == nil && !name.hasPrefix("NS") && !name.hasPrefix("_NS")
        }
    }

    // MARK: Saving

    private mutating func save(
        _ request: SaveRequest, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        if type(of: copy).capabilities.rewritesWholeFile {
            last.inserted.append(request.inserted)
            last.pairs += request.pairs
        } else {
            try save(request)
        }
        // If the source cannot count its objects or has counted wrongly, do not report more objects
        // than the total.
        progress.totalObjectCount = max(progress.totalObjectCount, progress.objectCount)
        try proceed(report)
    }

    private func save(
        _ request: SaveRequest, reservingUpTo nextKeys: [EntityNumber: Int64] = [:]
    ) throws(StoreError) {
        if request.isEmpty, nextKeys.isEmpty { return }
        let transaction = try copy.beginSave()
        defer { transaction.rollback() }
        try transaction.reserveKeys(upTo: nextKeys)
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    private func proceed(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        if report(progress) == .cancel { throw .cancelled }
    }
}

extension PersistentStore {
    /// - Throws: `.unsupported` if the store has values that its model does not explain.
    fileprivate func requireExplainedValues() throws(StoreError) {
        let found = try (self as? any SelfCheckingStore)?.findUnexplainedValues() ?? []
        guard !found.isEmpty else { return }
        let names = found.prefix(5).map(\.description) + (found.count > 5 ? ["…"] : [])
        throw .unsupported(
            request.location,
            feature: "values that the model does not explain (\(names.joined(separator: "; ")))",
            advice:
                "Use a model that has them, or make a copy without them: cairn store copy"
                + " --allow-unexplained-values, or StoreCopier.allowsUnexplainedValues.")
    }
}

extension SaveTransaction {
    /// Reserves keys, so that the next key of each root entity is at least the given one.
    fileprivate func reserveKeys(upTo nextKeys: [EntityNumber: Int64]) throws(StoreError) {
        for (root, next) in nextKeys where next > 1 {
            let first = try reserveKeys([root: 1])[root]?.lowerBound ?? next
            if next - first > 1 { _ = try reserveKeys([root: Int(next - first - 1)]) }
        }
    }
}

/// The number of rows that a migration reads at a time, chosen so that a batch takes a few megabytes.
package struct BatchSize {
    /// The size of one save's rows in bytes. A save exceeds it by at most one row.
    static let byteCount = 4 << 20
    /// The number of owners whose members are read at a time.
    static let ownerCount = 256
    /// The maximum number of pairs of one save.
    static let pairCount = 8192

    /// The number of rows to read next. It is small at first, because the rows may be large.
    package private(set) var rowCount: Int
    private let limit: Int

    static let greatestRowCount = 4096

    /// - Parameter hasExternalValues: Whether there may be large values besides the rows.
    package init(hasExternalValues: Bool = false) {
        limit = hasExternalValues ? 16 : Self.greatestRowCount
        rowCount = min(64, limit)
    }

    /// Updates the number of rows for the next read, based on the size of the rows that were read.
    mutating func note(_ rows: RowBatch) {
        note(rows.rows.reduce(0) { $0 + $1.byteCount }, of: rows.count)
    }

    /// Updates the number of rows for the next read, based on the size in bytes of some rows.
    package mutating func note(_ byteCount: Int, of count: Int) {
        let fitting = Self.byteCount / max(1, byteCount / max(1, count))
        // The number increases step by step, so that small rows before large ones do no harm.
        rowCount = max(1, min(fitting, rowCount * 4, limit))
    }
}
