import CairnModel

/// What an engine does itself, and which values it stores exactly.
public struct StoreCapabilities: Sendable, Hashable {
    /// How exactly values of a type are stored.
    public enum Fidelity: Sendable, Hashable {
        /// Every value is read back equal to the value that was saved.
        case exact
        /// Some values would be read back changed. A save that contains such a value is refused
        /// with `.unsupportedValue`, unless an option of the engine asks for rounding. The text
        /// says which values are concerned.
        case partial(String)
        /// No value of the type can be stored.
        case none
    }

    /// How an engine treats the names of saves (``SaveRequest/id``).
    public enum NamedSaves: Sendable, Hashable {
        /// The engine records no names. ``PersistentStore/outcome(of:)`` returns `.forgotten`.
        case forgotten
        /// The engine records the names that it is given.
        case remembered
        /// The engine records names, and every save should have one, because the answer to a commit
        /// may get lost, for example on its way from another machine.
        case wanted
    }

    /// Whether rows outlive the process. A durable store need not be a file: check for
    /// ``FileStore`` to find out.
    ///
    /// A store that is not durable is new and empty each time it is opened.
    public var isDurable: Bool
    /// Whether each save writes the whole store again, so that many small saves cost more than a
    /// single large one.
    public var rewritesWholeFile: Bool
    /// Whether the store can be read while a save is under way. If `false`, a read during a save
    /// throws `.busy` or shows the state before the save, and the engine itself checks references
    /// (see ``SaveTransaction/prepare(_:)``).
    public var readsDuringSave: Bool
    /// Whether several processes, and several handles in one process, can have the store open at
    /// the same time. If `false`, opening the store a second time throws `.locked`. A store that is
    /// not durable does not throw: each handle then has a store of its own.
    public var isShared: Bool
    /// Whether saves of different objects can be prepared and committed at the same time.
    ///
    /// The engine then detects conflicts without locking the whole store. If two saves change the
    /// same object, break a reference together, or violate a uniqueness constraint together, only
    /// one of them commits. In the other save, `prepare` or `commit` throws `.rowConflicts`,
    /// `.referenceConflicts` or `.uniquenessConflicts`. The engine also checks references itself
    /// (see ``SaveTransaction/prepare(_:)``).
    public var savesInParallel: Bool
    /// Whether a save can take several requests, which share the wait for the medium
    /// (``SaveTransaction/prepareNext(_:)``).
    public var groupsSaves: Bool
    /// Whether a save that is too large for one request can come in parts (``SavePart``). The engine then
    /// prepares each part as ``SaveTransaction/prepareNext(_:)`` describes.
    public var savesInParts: Bool
    /// How the engine treats the names of saves.
    public var namedSaves: NamedSaves
    /// The fidelity of each type whose values are not stored exactly.
    public var fidelity: [AttributeType: Fidelity]
    /// The options that `open` accepts.
    public var options: Set<StoreOption>

    /// Creates the capabilities of an engine. By default, as little as possible is promised: rows
    /// do not outlive the process, readers wait for saves, saves follow each other one by one, names
    /// of saves are not recorded, and the store belongs to one process. By default, every type is stored
    /// exactly and no option is accepted.
    public init(
        isDurable: Bool = false, rewritesWholeFile: Bool = false, readsDuringSave: Bool = false,
        isShared: Bool = false, savesInParallel: Bool = false, groupsSaves: Bool = false,
        savesInParts: Bool = false, namedSaves: NamedSaves = .forgotten,
        fidelity: [AttributeType: Fidelity] = [:], options: Set<StoreOption> = []
    ) {
        self.isDurable = isDurable
        self.rewritesWholeFile = rewritesWholeFile
        self.readsDuringSave = readsDuringSave
        self.isShared = isShared
        self.savesInParallel = savesInParallel
        self.groupsSaves = groupsSaves
        self.savesInParts = savesInParts
        self.namedSaves = namedSaves
        self.fidelity = fidelity
        self.options = options
    }

    /// Returns how exactly values of the type are stored.
    public func fidelity(of type: AttributeType) -> Fidelity { fidelity[type] ?? .exact }
}
