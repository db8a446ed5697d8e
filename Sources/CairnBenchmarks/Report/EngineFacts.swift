/// What does not depend on the machine: the properties that an engine declares, and the form of its files.
package struct EngineFacts: Sendable, Codable, Hashable {
    /// The engine's type, such as `SQLite`.
    package var engine: String
    /// Whether objects outlive the process.
    package var isDurable: Bool
    /// Whether several processes can have a store open at the same time.
    package var isShared: Bool
    /// Whether each save writes the whole store.
    package var rewritesWholeFile: Bool
    /// Whether the files of a store are text.
    package var isText: Bool

    /// Creates the facts about an engine.
    ///
    /// - Parameters:
    ///   - engine: The engine's type.
    ///   - isDurable: Whether objects outlive the process.
    ///   - isShared: Whether several processes can have a store open at the same time.
    ///   - rewritesWholeFile: Whether each save writes the whole store.
    ///   - isText: Whether the files of a store are text.
    package init(
        engine: String, isDurable: Bool, isShared: Bool, rewritesWholeFile: Bool, isText: Bool
    ) {
        self.engine = engine
        self.isDurable = isDurable
        self.isShared = isShared
        self.rewritesWholeFile = rewritesWholeFile
        self.isText = isText
    }
}
