import CairnConformance
import CairnMemory
import CairnModel
import CairnRows
import CairnStore

/// One way in which an engine can be wrong: how it differs from the sound engine that it wraps.
package struct Flaw: Sendable, CustomStringConvertible {
    /// How saves go wrong in general.
    enum Saving: Sendable {
        case sound, commitsAtPrepare, savesHalfOfWhatItRefuses, commitsAtRollback, commitsNothing
        case commitsUnprepared, preparesTwice, answersAfterItsEnd, locksAtPrepare
        case commitsWithTheNextSave, losesWhatItPrepared, skipsKeysOfUnknownEntities
        case hidesSavesOfMetadata, removesCompanionFolders, forgetsMembersOfDeletedObjects
    }

    /// How saving several requests together goes wrong.
    enum Grouping: Sendable {
        case sound, commitsEach, commitsNothing, losesTheGroup, keepsHalfOfWhatItRefuses
        case recordsNamesOfRefused, acceptsConflicts, returnsNoComputedRows
        case discardsNothing, discardsAll, savesPartsApart, losesLaterParts
    }

    /// How recording the names of saves goes wrong.
    enum Naming: Sendable {
        case sound, forgetsAtOnce, recordsAtPrepare, recordsInAnotherSave, remembersTen
        case keepsNamesInMemory, callsForgottenNotSaved, showsNamesInMetadata, takesForgottenNames
    }

    /// How snapshots go wrong in general.
    enum Snapshots: Sendable {
        case sound, showTheNewest, showTheFirst, showDuringSavesWhatWasReadBefore
        case nameLaterGeneration
    }

    /// How ending a snapshot goes wrong.
    enum Ending: Sendable {
        case sound, answersNothing, endsTheNewest, givesNothingBack
    }

    /// How reads go wrong after their deadline.
    enum Lateness: Sendable {
        case sound, answersNothing
    }

    /// How opening goes wrong in general.
    enum Opening: Sendable {
        case sound, crashesOnDamage, replacesForeignFiles, readsByTheNumbersInTheStore
    }

    /// How exclusive use of files goes wrong.
    enum ExclusiveUse: Sendable {
        case sound, seesOwnProcessOnly, lastsNotLongEnough, emptiesUnknownFiles
    }

    /// How fetches go wrong while their results are read.
    enum Cursors: Sendable {
        case sound, onlyTheNewestGoesOn, endQuietlyAtErrors, forgetWhatTheyClaimed
        case countNoRows, giveReasonsForNothing
    }

    /// How dividing a fetch among threads goes wrong. An engine with `none` does not divide fetches.
    enum Parts: Sendable {
        case none, sound, overlap, lackTheLastMatch, showTheNewest, areTooSmall, leaveTheSort
        case areTooMany
    }

    /// How a closed store goes wrong.
    enum Closing: Sendable {
        case sound, hidesRows, acknowledgesSaves
    }

    /// How metadata goes wrong during a save.
    enum MetadataDuringSave: Sendable {
        case sound, isRefused, showsWhatIsPrepared
    }

    /// How copying a state goes wrong.
    enum Copying: Sendable {
        case sound, showsTheNewest, losesExternalData, makesAnotherStore, keepsOthersFromSaving
        case isRefusedDuringSaves, reportsNothing, leavesFiles, overwritesHistory
    }

    /// How the history of saves goes wrong.
    enum History: Sendable {
        case sound, readsTooLate, readsTooEarly, ignoresMarks, skipsPurged, purgesTooMuch
        case addsNothing, numbersAnew
        case purgesNothing, answersWithoutHistory, recordsAttempts, endsWithTheHandle, hidesOthers
    }

    package let name: String
    /// The topic whose rules must notice the flaw. Empty for a sound engine.
    package private(set) var topic = ""
    var engine: any PersistentStore.Type = InMemoryStore.self
    var saving = Saving.sound
    var grouping = Grouping.sound
    var naming = Naming.sound
    var snapshots = Snapshots.sound
    var ending = Ending.sound
    var lateness = Lateness.sound
    var openingAsAWhole = Opening.sound
    var exclusiveUse = ExclusiveUse.sound
    var cursors = Cursors.sound
    var parts = Parts.none
    var closing = Closing.sound
    var metadataDuringSave = MetadataDuringSave.sound
    var copying = Copying.sound
    var history = History.sound
    /// Changes each transaction that is read from the history.
    var recalled: (@Sendable (inout PersistentHistoryTransaction) -> Void)?
    /// Changes the owners whose members are requested.
    var owners: @Sendable ([ObjectID], Packing) -> [ObjectID] = { ids, _ in ids }
    var hidesMetadata = false
    /// Whether the engine reports a location that is not a file as missing.
    var missesOtherLocations = false
    /// Whether metadata is cached, and read again only after the store's own saves.
    var keepsMetadata = false
    var saysThatSnapshotsBlock = false
    /// Whether the engine does not explain the values that it saved itself.
    var findsUnexplainedValues = false
    var closes = true
    /// Returns how many rows a batch may have, given the requested number.
    var batchSize: @Sendable (Int) -> Int = { $0 }
    var opening: @Sendable (inout OpenRequest) -> Void = { _ in }
    var asked: @Sendable (inout FetchPlan) -> Void = { _ in }
    var claimed: @Sendable (inout CompletedStages, FetchPlan) -> Void = { _, _ in }
    /// Changes the complete answer to a fetch.
    var answered: (@Sendable (RowBatch, FetchPlan, Packing) throws(StoreError) -> RowBatch)?
    var requested: @Sendable (inout SaveRequest, Packing) throws(StoreError) -> Void = { _, _ in }
    var refused: @Sendable (StoreError) -> StoreError = { $0 }
    var keys: @Sendable (Range<Int64>) -> Range<Int64> = { $0 }
    /// Changes the result of beginning a save.
    var begun: @Sendable (inout BegunSave) -> Void = { _ in }
    /// Whether a save keeps the write lock if reserving its keys fails.
    var keepsLockWithoutKeys = false
    var synchronizesBySaving = false
    /// Reserves keys outside of a save.
    var keysApart: (@Sendable ([EntityNumber: Int]) -> [EntityNumber: Range<Int64>])?
    /// Changes the row returned by a read of a single ID.
    var foundAlone: @Sendable (Row?, Packing) -> Row? = { row, _ in row }
    /// Changes the rows found by ID.
    var found: @Sendable (RowBatch, [ObjectID], Packing) throws(StoreError) -> RowBatch = {
        (batch, _, _) in batch
    }
    var counted: @Sendable (Int, FetchPlan) -> Int = { count, _ in count }
    var preferred: @Sendable (inout ReadPreferences) -> Void = { _ in }
    /// Changes the answer to a combined request for related IDs.
    var answeredTogether: @Sendable (inout RelatedAnswer) -> Void = { _ in }
    /// Whether the reported difference contains only objects whose versions differ.
    var changesByVersion = false
    /// Changes the reported difference between two states. If `nil`, the engine cannot report differences.
    var changed: (@Sendable (inout StoreChanges) -> Void)?
    var related: @Sendable (RelatedIDs, Relationship) -> RelatedIDs = { related, _ in related }
    var described: @Sendable (inout StoreMetadata, OpenRequest) -> Void = { _, _ in }
    var generation: @Sendable (StoreGeneration) -> StoreGeneration = { $0 }
    var recomputed: @Sendable (RowBatch, SaveRequest) -> RowBatch = { batch, _ in batch }

    package var description: String { name }

    /// A sound engine, wrapped like the broken engines.
    package static let sound = Flaw("is sound")

    /// A sound engine that can report what changed.
    package static let soundWithChanges = Flaw("is sound, and tells changes") {
        $0.changed = { _ in }
    }

    /// A sound engine whose batches have fewer rows than requested.
    package static let soundWithShortBatches = Flaw("is sound, in short batches") {
        $0.batchSize = { max(1, $0 / 2) }
    }

    /// A sound engine that divides fetches.
    package static let soundWithParts = Flaw("is sound, and divides fetches") {
        $0.parts = .sound
    }

    /// All flaws. Adding a flaw to one of the lists that ``FlawTopic`` names is enough to include it.
    package static let all = FlawTopic.allCases.flatMap(\.flaws)

    /// Returns the flaw with the given name, or `nil` if no flaw has it.
    package static func named(_ name: String) -> Flaw? {
        name == sound.name ? sound : all.first { $0.name == name }
    }

    init(_ name: String, _ change: (inout Flaw) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// Returns the flaw, assigned to a topic.
    func noticed(by topic: String) -> Flaw {
        var flaw = self
        flaw.topic = topic
        return flaw
    }
}

/// Creates rows for flaws: modified copies of the rows of a store.
struct Packing: Sendable {
    let store: any PersistentStore

    var layouts: RowLayouts { store.request.layouts }

    /// Returns copies of the rows with every value changed.
    func changed(_ batch: RowBatch, _ change: (Value) -> Value) -> RowBatch {
        RowBatch(batch.rows.map { row in copy(of: row, change) })
    }

    /// Returns a copy of the row with every value changed, optionally with another key or version.
    func copy(
        of row: Row, key: Int64? = nil, version: Int64? = nil, _ change: (Value) -> Value = { $0 }
    ) -> Row {
        guard let layout = layouts.layout(of: row.entity) else { return row }
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key ?? row.key, version: version ?? row.version)
        for slot in layout.slots {
            // A value that does not fit is left `nil`. That is wrong too, which suits a flaw.
            try? writer.set(change(row.value(slot)), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    /// Returns the value of a row's property, or `.null` if the row has no property of that name.
    func value(_ name: String, of row: Row) -> Value {
        guard let slot = layouts.layout(of: row.entity)?.slot(named: name) else { return .null }
        return row.value(slot)
    }

    /// Returns the row that the store contains now, or `nil` if there is no such row.
    func stored(_ id: ObjectID) throws(StoreError) -> Row? {
        let rows = try store.snapshot().rows(for: [id])
        return rows.isEmpty ? nil : rows[row: 0]
    }
}
