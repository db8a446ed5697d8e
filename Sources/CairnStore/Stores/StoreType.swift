/// The name by which a user chooses an engine, such as `"SQLite"` or `"InMemory"`.
public struct StoreType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name, as it appears in a store's metadata. Names are case-sensitive.
    public let rawValue: String

    /// Creates a type from any text. Whether an engine has the name is checked when a store is
    /// opened.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a type from any text. Whether an engine has the name is checked when a store is
    /// opened.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates the type with the given name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}
