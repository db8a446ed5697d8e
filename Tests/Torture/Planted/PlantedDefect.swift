import Cairn
import CairnStore
import Synchronization
import TortureShim

/// A mistake that a part of the harness must find. A part that finds no mistakes proves nothing.
///
/// To add a defect, add a case here, implement it in ``PlantedStore`` or ``PlantedTransaction``, and add it
/// to the list of its part.
enum PlantedDefect: String, Codable, Sendable, CaseIterable {
    /// A save returns before it is committed. The next use of the store commits it.
    case acknowledgesEarly
    /// A save commits its new rows first, and everything else in a second commit.
    case commitsTwice
    /// A save rewrites the whole file in place.
    case writesInPlace
    /// A failed save returns as if it had succeeded.
    case swallowsFailures
    /// A save that fails in a group leaves its name in the store.
    case namesRefusedSaves
    /// A failed save leaves its new rows in the store.
    case savesHalf
    /// After a failed save, no other save succeeds.
    case staysBroken
    /// A save replaces whatever file is at the path.
    case overwritesReplacement
    /// A save renames its own file over the path, regardless of the file there.
    case renamesBlindly
    /// A fetch starts again after it has returned every row.
    case neverEnds
    /// A migration removes the old store before the new store gets its name.
    case swapsInTwoSteps
    /// A migration runs the program's code when the new store already has its name.
    case runsCodeLate
    /// A migration runs while others have the store open.
    case ignoresUsers
    /// In a save over several stores, one store commits before the journal exists.
    case commitsBeforeJournal
    /// The journal of a save over several stores gets its name before its content is on the medium.
    case syncsNoJournal
    /// A process that has several stores open does not look for unfinished saves of others.
    case looksOnlyAtOpening
    /// A fetch neither waits for nor detects saves over several stores that are between two commits.
    case readsHalfSaves
    /// A restore replaces one store after the other.
    case restoresOneByOne
    /// A backup copies one store after the other.
    case backsUpOneByOne
    /// A backup moves its files to the folder one after the other.
    case backsUpInPieces
    /// Recovery of a save over several stores also saves to the stores that already contain the save.
    case ignoresSaveNames

    /// The mistakes that the fault library makes for the defect, or 0 if an engine makes the mistake.
    var mistakes: UInt32 {
        switch self {
        case .syncsNoJournal: TORTURE_SYNCS_NO_JOURNAL.rawValue
        case .looksOnlyAtOpening: TORTURE_SEES_NO_PENDING_SAVE.rawValue
        case .readsHalfSaves:
            TORTURE_LOCKS_NO_FOLDER.rawValue | TORTURE_SEES_NO_PENDING_SAVE.rawValue
        default: 0
        }
    }

    /// Set once, before the process opens a store.
    private static let planted = Mutex<PlantedDefect?>(nil)

    static var current: PlantedDefect? { planted.withLock { $0 } }

    /// Adds the defect to every engine of a registry.
    static func plant(
        _ defect: PlantedDefect?, in registry: StoreRegistry
    ) throws -> StoreRegistry {
        guard let defect else { return registry }
        planted.withLock { $0 = defect }
        if defect.mistakes != 0 { return registry }
        var defective = registry
        for type in Engines.types {
            let engine = try registry.fileEngine(ofType: type, for: .memory("a trial"))
            defective.register(wrapped(engine), type: type)
        }
        return defective
    }

    private static func wrapped<Engine: FileStore>(
        _ engine: Engine.Type
    ) -> any PersistentStore.Type { PlantedStore<Engine>.self }
}
