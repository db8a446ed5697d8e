/// What does not depend on the machine: the properties that an engine declares, and the form of its files.
public struct EngineFacts: Sendable, Codable, Hashable {
    /// The engine's type, such as `SQLite`.
    public var engine: String
    /// Whether objects outlive the process.
    public var isDurable: Bool
    /// Whether several processes can have a store open at the same time.
    public var isShared: Bool
    /// Whether each save writes the whole store.
    public var rewritesWholeFile: Bool
    /// Whether the files of a store are text.
    public var isText: Bool

    /// Creates the facts about an engine.
    ///
    /// - Parameters:
    ///   - engine: The engine's type.
    ///   - isDurable: Whether objects outlive the process.
    ///   - isShared: Whether several processes can have a store open at the same time.
    ///   - rewritesWholeFile: Whether each save writes the whole store.
    ///   - isText: Whether the files of a store are text.
    public init(
        engine: String, isDurable: Bool, isShared: Bool, rewritesWholeFile: Bool, isText: Bool
    ) {
        self.engine = engine
        self.isDurable = isDurable
        self.isShared = isShared
        self.rewritesWholeFile = rewritesWholeFile
        self.isText = isText
    }
}
