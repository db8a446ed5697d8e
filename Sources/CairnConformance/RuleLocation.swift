/// A line in the source code of the kit, or of an author's own rules.
public struct RuleLocation: Sendable, Hashable, CustomStringConvertible {
    /// The module and the file name, such as `CairnConformance/SavingRules.swift`.
    public let file: String
    /// The line in the file, from 1.
    public let line: Int

    /// The file and the line, such as `CairnConformance/SavingRules.swift:12`.
    public var description: String { "\(file):\(line)" }
}
