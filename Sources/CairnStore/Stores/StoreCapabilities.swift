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

    /// Whether rows outlive the process. A durable store need not be a file: ask for ``FileStore``.
    public var isDurable: Bool
    /// Whether a save writes the whole store anew, so that many small saves cost more than one.
    public var rewritesWholeFile: Bool
    /// Whether readers go on while a save is under way.
    public var readsDuringSave: Bool
    /// Whether other processes may have the store open at the same time.
    public var isShared: Bool
    /// Fidelity of each type that is not exact.
    public var fidelity: [AttributeType: Fidelity]
    /// The options that `open` takes.
    public var options: Set<StoreOption>

    /// Creates the capabilities of an engine. Each default promises least: rows that die with the
    /// process, readers that wait for saves, and a store of one process alone. Every type is kept
    /// exactly, and no option is taken, unless said otherwise.
    public init(
        isDurable: Bool = false, rewritesWholeFile: Bool = false, readsDuringSave: Bool = false,
        isShared: Bool = false, fidelity: [AttributeType: Fidelity] = [:],
        options: Set<StoreOption> = []
    ) {
        self.isDurable = isDurable
        self.rewritesWholeFile = rewritesWholeFile
        self.readsDuringSave = readsDuringSave
        self.isShared = isShared
        self.fidelity = fidelity
        self.options = options
    }

    /// How values of the type come back.
    public func fidelity(of type: AttributeType) -> Fidelity { fidelity[type] ?? .exact }
}
