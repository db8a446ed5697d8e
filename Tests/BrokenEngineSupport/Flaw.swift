import CairnConformance
import CairnMemory
import CairnModel
import CairnStore

/// One way for an engine to be wrong: what it does otherwise than the sound engine beneath it.
package struct Flaw: Sendable, CustomStringConvertible {
    /// How saves go wrong as a whole.
    enum Saving: Sendable {
        case sound, commitsAtPrepare, savesHalfOfWhatItRefuses, commitsAtRollback, commitsNothing
        case commitsUnprepared, preparesTwice, answersAfterItsEnd, locksAtPrepare
        case commitsWithTheNextSave, losesWhatItPrepared, skipsKeysOfUnknownEntities
        case hidesSavesOfMetadata
    }

    /// How the names of saves are recorded wrong.
    enum Naming: Sendable {
        case sound, forgetsAtOnce, recordsAtPrepare, recordsInAnotherSave, remembersTen
        case keepsNamesInMemory, callsForgottenNotSaved, showsNamesInMetadata
    }

    /// How snapshots go wrong as a whole.
    enum Snapshots: Sendable {
        case sound, showTheNewest, showTheFirst
    }

    /// How the end of a snapshot goes wrong.
    enum Ending: Sendable {
        case sound, answersNothing, endsTheNewest
    }

    /// How reads go wrong after their deadline.
    enum Lateness: Sendable {
        case sound, answersNothing
    }

    /// How opening goes wrong as a whole.
    enum Opening: Sendable {
        case sound, crashesOnDamage, replacesForeignFiles, readsByTheNumbersInTheStore
    }

    /// How the exclusive use of files goes wrong.
    enum ExclusiveUse: Sendable {
        case sound, seesOwnProcessOnly, lastsNotLongEnough
    }

    /// How fetches go wrong while they are read.
    enum Cursors: Sendable {
        case sound, onlyTheNewestGoesOn, endQuietlyAtErrors, forgetWhatTheyClaimed
    }

    /// How the division of a fetch among threads goes wrong. `none` does not divide.
    enum Parts: Sendable {
        case none, sound, overlap, lackTheLastMatch, showTheNewest, areTooSmall, leaveTheSort
        case areTooMany
    }

    /// How a closed store goes wrong.
    enum Closing: Sendable {
        case sound, hidesRows, acknowledgesSaves
    }

    /// How metadata goes wrong while a save is begun.
    enum MetadataDuringSave: Sendable {
        case sound, isRefused, showsWhatIsPrepared
    }

    package let name: String
    /// The topic of which a rule must notice. Empty for a sound engine.
    package private(set) var topic = ""
    var engine: any PersistentStore.Type = InMemoryStore.self
    var saving = Saving.sound
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
    /// Changes the owners whose members are asked for.
    var owners: @Sendable ([ObjectID], Packing) -> [ObjectID] = { ids, _ in ids }
    var hidesMetadata = false
    /// Whether a location that is no file is said to be missing.
    var missesOtherLocations = false
    /// Whether metadata is read once, and again only after a save of its own.
    var keepsMetadata = false
    var saysThatSnapshotsBlock = false
    var closes = true
    /// How many rows a batch may have, of those asked for.
    var batchSize: @Sendable (Int) -> Int = { $0 }
    var opening: @Sendable (inout OpenRequest) -> Void = { _ in }
    var asked: @Sendable (inout FetchPlan) -> Void = { _ in }
    var claimed: @Sendable (inout CompletedStages, FetchPlan) -> Void = { _, _ in }
    /// Changes the whole answer to a fetch.
    var answered: (@Sendable (RowBatch, FetchPlan, Packing) throws(StoreError) -> RowBatch)?
    var requested: @Sendable (inout SaveRequest, Packing) throws(StoreError) -> Void = { _, _ in }
    var refused: @Sendable (StoreError) -> StoreError = { $0 }
    var keys: @Sendable (Range<Int64>) -> Range<Int64> = { $0 }
    /// Changes what a save is begun with.
    var begun: @Sendable (inout BegunSave) -> Void = { _ in }
    /// Whether a save that does not get its keys keeps the lock.
    var keepsLockWithoutKeys = false
    var synchronizesBySaving = false
    /// Gives keys apart from saves.
    var keysApart: (@Sendable ([EntityNumber: Int]) -> [EntityNumber: Range<Int64>])?
    /// Changes the row that is asked for alone.
    var foundAlone: @Sendable (Row?, Packing) -> Row? = { row, _ in row }
    /// Changes the rows found by ID.
    var found: @Sendable (RowBatch, [ObjectID], Packing) throws(StoreError) -> RowBatch = {
        (batch, _, _) in batch
    }
    var counted: @Sendable (Int, FetchPlan) -> Int = { count, _ in count }
    var preferred: @Sendable (inout ReadPreferences) -> Void = { _ in }
    /// Changes the answer to several questions.
    var answeredTogether: @Sendable (inout RelatedAnswer) -> Void = { _ in }
    /// Tells what changed between two states, and changes that. `nil` if it cannot tell.
    var changed: (@Sendable (inout StoreChanges) -> Void)?
    var related: @Sendable (RelatedIDs, Relationship) -> RelatedIDs = { related, _ in related }
    var described: @Sendable (inout StoreMetadata, OpenRequest) -> Void = { _, _ in }
    var generation: @Sendable (StoreGeneration) -> StoreGeneration = { $0 }
    var recomputed: @Sendable (RowBatch, SaveRequest) -> RowBatch = { batch, _ in batch }

    package var description: String { name }

    /// A sound engine, wrapped as the broken ones are.
    package static let sound = Flaw("is sound")

    /// A sound engine that can tell what changed.
    package static let soundWithChanges = Flaw("is sound, and tells changes") {
        $0.changed = { _ in }
    }

    /// A sound engine whose batches have fewer rows than were asked for.
    package static let soundWithShortBatches = Flaw("is sound, in short batches") {
        $0.batchSize = { max(1, $0 / 2) }
    }

    /// A sound engine that divides fetches.
    package static let soundWithParts = Flaw("is sound, and divides fetches") {
        $0.parts = .sound
    }

    /// Every flaw there is: a flaw is in it by being written in a list that ``FlawTopic`` names.
    package static let all = FlawTopic.allCases.flatMap(\.flaws)

    /// Returns the flaw of that name. Returns `nil` if no flaw has the name.
    package static func named(_ name: String) -> Flaw? {
        name == sound.name ? sound : all.first { $0.name == name }
    }

    init(_ name: String, _ change: (inout Flaw) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// Returns the flaw as one of a topic.
    func noticed(by topic: String) -> Flaw {
        var flaw = self
        flaw.topic = topic
        return flaw
    }
}

/// Makes rows for flaws: those of one store, with other values.
struct Packing: Sendable {
    let store: any PersistentStore

    var layouts: RowLayouts { store.request.layouts }

    /// Copies of the rows with every value changed.
    func changed(_ batch: RowBatch, _ change: (Value) -> Value) -> RowBatch {
        RowBatch(batch.rows.map { row in copy(of: row, change) })
    }

    /// A copy of a row under another key or version, with every value changed.
    func copy(
        of row: Row, key: Int64? = nil, version: Int64? = nil, _ change: (Value) -> Value = { $0 }
    ) -> Row {
        guard let layout = layouts.layout(of: row.entity) else { return row }
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key ?? row.key, version: version ?? row.version)
        for slot in layout.slots {
            // A value that does not fit stays nil: that is wrong too, and this is for flaws.
            try? writer.set(change(row.value(slot)), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    /// The value of a property of a row. `.null` if the row has none of that name.
    func value(_ name: String, of row: Row) -> Value {
        guard let slot = layouts.layout(of: row.entity)?.slot(named: name) else { return .null }
        return row.value(slot)
    }

    /// The row that is in the store now.
    func stored(_ id: ObjectID) throws(StoreError) -> Row? {
        let rows = try store.snapshot().rows(for: [id])
        return rows.isEmpty ? nil : rows[row: 0]
    }
}
