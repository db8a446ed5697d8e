import CairnModel

/// What an engine does itself and what it keeps exactly.
public struct StoreCapabilities: Sendable, Hashable {
    /// What happens to a value of a type that the medium does not keep bit for bit.
    public enum Fidelity: Sendable, Hashable {
        /// Comes back equal.
        case exact
        /// Some values would come back different; a save that holds one is refused with
        /// `.unsupportedValue`, unless the engine's option says to round. The text says which.
        case partial(String)
        /// No value of the type can be kept.
        case none
    }

    /// What an engine does with the names of saves (``SaveRequest/id``).
    public enum NamedSaves: Sendable, Hashable {
        /// Records none: ``PersistentStore/outcome(of:)`` answers `.forgotten`.
        case forgotten
        /// Records the names that it is given.
        case remembered
        /// Records names, and wants one for every save, because the answer to a commit may get lost,
        /// as on the way from another machine.
        case wanted
    }

    /// Whether rows outlive the process. A durable store need not be a file: ask for ``FileStore``.
    ///
    /// A store that is not durable is new and empty each time it is opened.
    public var isDurable: Bool
    /// Whether a save writes the whole store again, so that many small saves cost more than one.
    public var rewritesWholeFile: Bool
    /// Whether readers go on while a save is under way. Otherwise a read during a save throws `.busy`,
    /// or shows the state before the save.
    public var readsDuringSave: Bool
    /// Whether other processes, and other handles in this process, may have the store open at the same
    /// time. Otherwise opening the store again throws `.locked`. A store that is not durable is another
    /// store in each handle instead.
    public var isShared: Bool
    /// Whether savers of different objects may prepare and commit at the same time.
    ///
    /// The engine then detects conflicts without a lock of the whole store: of two saves that change
    /// the same object, or break a uniqueness constraint together, only one commits. The other one
    /// is refused with `.rowConflicts` or `.uniquenessConflicts`, by `prepare` or by `commit`.
    public var savesInParallel: Bool
    /// What the engine does with the names of saves.
    public var namedSaves: NamedSaves
    /// Fidelity of each type that is not exact.
    public var fidelity: [AttributeType: Fidelity]
    /// The options that `open` takes.
    public var options: Set<StoreOption>

    /// Creates the capabilities of an engine. Each default promises least: rows that die with the
    /// process, readers that wait for saves, saves that follow each other, no record of their names,
    /// and a store of one process alone. Every type is kept exactly, and no option is taken, unless
    /// said otherwise.
    public init(
        isDurable: Bool = false, rewritesWholeFile: Bool = false, readsDuringSave: Bool = false,
        isShared: Bool = false, savesInParallel: Bool = false,
        namedSaves: NamedSaves = .forgotten, fidelity: [AttributeType: Fidelity] = [:],
        options: Set<StoreOption> = []
    ) {
        self.isDurable = isDurable
        self.rewritesWholeFile = rewritesWholeFile
        self.readsDuringSave = readsDuringSave
        self.isShared = isShared
        self.savesInParallel = savesInParallel
        self.namedSaves = namedSaves
        self.fidelity = fidelity
        self.options = options
    }

    /// How values of the type come back.
    public func fidelity(of type: AttributeType) -> Fidelity { fidelity[type] ?? .exact }
}
