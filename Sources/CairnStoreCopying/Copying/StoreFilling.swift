import CairnModel
import CairnStore

/// Fills an empty store with everything that one state of another one holds.
///
/// Rows first, by root entity and key; then pairs and orders, whose ends are all there by then. Each
/// batch is a save of its own, but in a store that writes its whole file with each save: there all
/// are one. The last save has the metadata, and reserves the keys that were given out already.
struct StoreFilling {
    private let copy: any PersistentStore
    private let source: any PersistentStore
    private let snapshot: any StoreSnapshot
    /// What the source holds.
    private let entities: [Entity]
    /// What the copy holds.
    private let newEntities: [Entity]
    private let contents: CopiedContents
    /// What the last save has: everything, if the copy is an atomic store, which holds as much in memory
    /// anyway.
    private var last = SaveRequest()
    private var progress = StoreCopyProgress(totalObjectCount: 0)
    /// What is known of the rows that were written.
    private(set) var notes = CopyNotes()
    /// The first key of each root entity of the copy that was never given out; an absent one does not
    /// matter.
    var nextKeys: [EntityNumber: Int64] = [:]

    /// - Parameters:
    ///   - source: the store whose newest state is copied. Its model may be another version of the
    ///     copy's.
    ///   - allowsMissingExternalData: whether values whose files are missing become `nil`.
    ///   - sharesExternalData: whether the copy has the files of the source's external values already.
    ///   - isVerified: whether ``notes`` say what the copy has to contain.
    /// - Throws: what taking the source's newest state throws.
    init(
        of copy: any PersistentStore, from source: any PersistentStore,
        allowsMissingExternalData: Bool = false, sharesExternalData: Bool = false,
        isVerified: Bool = false
    ) throws(StoreError) {
        self.copy = copy
        self.source = source
        let (old, new) = (source.request, copy.request)
        entities = try CompatibilityCheck.entities(of: old)
        newEntities = try CompatibilityCheck.entities(of: new)
        snapshot = try source.snapshot()
        contents = CopiedContents(
            snapshot: snapshot,
            mapping: ContentMapping(from: old.layouts, to: new.layouts, holding: newEntities),
            store: copy.number, allowsMissingExternalData: allowsMissingExternalData,
            sharesExternalData: sharesExternalData)
        if isVerified { notes.sums = ContentSums(of: copy.number, new.layouts) }
    }

    /// Copies all of it, once; `report` is told after each save. Ends the state that is copied.
    ///
    /// - Throws: `.cancelled`, and the errors of reading the source and saving to the copy.
    mutating func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> StoreCopyProgress {
        defer { snapshot.end() }
        progress.totalObjectCount = try countObjects()
        try goOn(report)
        for root in roots { try copyRows(of: root, report) }
        let sources = PairSources(contents.mapping.correspondence)
        for source in newEntities.flatMap(sources.sources) {
            if !notes.toldRelationships.contains(source.told) {
                notes.toldRelationships.append(source.told)
            }
            try copyPairs(from: source, report)
        }
        last.metadata = try applicationValues()
        try save(last, reservingUpTo: nextKeys)
        progress.missingValues = notes.missingValues
        return progress
    }

    /// The entities of the source that have no superentity among them.
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
        let output: FetchPlan.Output = source.read.isToMany ? .ids : .rows
        let cursor = try snapshot.cursor(FetchPlan(entity: source.read.entity, output: output))
        while let batch = try cursor.next(atMost: BatchSize.ownerCount) {
            guard source.read.isToMany else {
                try save(contents.pairs(from: source, of: batch), report)
                continue
            }
            try contents.forEachShare(ofPairsFrom: source, of: batch.ids) {
                share throws(StoreError) in
                try save(share, report)
            }
        }
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

    /// Returns the application's values: not those that describe the source's file, nor those that the
    /// copy has answers of its own to.
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
        // A source that cannot count, or counted wrongly, is no reason to show more than all.
        progress.totalObjectCount = max(progress.totalObjectCount, progress.objectCount)
        try goOn(report)
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

    private func goOn(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        if report(progress) == .cancel { throw .cancelled }
    }
}

extension SaveTransaction {
    /// Reserves keys, so that the next one of each root entity is the given one or a greater one.
    fileprivate func reserveKeys(upTo nextKeys: [EntityNumber: Int64]) throws(StoreError) {
        for (root, next) in nextKeys where next > 1 {
            let first = try reserveKeys([root: 1])[root]?.lowerBound ?? next
            if next - first > 1 { _ = try reserveKeys([root: Int(next - first - 1)]) }
        }
    }
}
