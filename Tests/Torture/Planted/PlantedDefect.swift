import Cairn
import Synchronization
import TortureShim

/// A mistake that one part of the harness must find: a part that finds no mistake proves nothing.
///
/// A new one is a case here, what it does in ``PlantedStore`` or ``PlantedTransaction``, and its
/// part's list.
enum PlantedDefect: String, Codable, Sendable, CaseIterable {
    /// A save returns before it is committed: the next use of the store commits it.
    case acknowledgesEarly
    /// A save commits its new rows first, and the rest with a second commit.
    case commitsTwice
    /// A save writes the whole file again, in place.
    case writesInPlace
    /// A save that failed returns as if it had not.
    case swallowsFailures
    /// A save that failed leaves its new rows in the store.
    case savesHalf
    /// After a save that failed, no other succeeds.
    case staysBroken
    /// A save puts its own bytes in the place of whichever file is there.
    case overwritesReplacement
    /// A save renames a file of its own over the path, whatever is there by then.
    case renamesBlindly
    /// A fetch begins again when it has returned every row.
    case neverEnds
    /// A migration removes the old store before the new one takes its name.
    case swapsInTwoSteps
    /// A migration takes place while others have the store open.
    case ignoresUsers
    /// A store of a save over several stores commits before the journal is there.
    case commitsBeforeJournal
    /// The journal of a save over several stores gets its name before the medium has it.
    case syncsNoJournal
    /// A process that has several stores open does not look for saves of others that are unfinished.
    case looksOnlyAtOpening
    /// A fetch neither waits nor looks for saves over several stores that are between two commits.
    case readsHalfSaves
    /// Whoever finishes a save over several stores saves to those that have it already.
    case ignoresSaveNames

    /// What the library for faults does for the defect. 0 if it is an engine's.
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

    /// Gives every engine of a registry the defect.
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
