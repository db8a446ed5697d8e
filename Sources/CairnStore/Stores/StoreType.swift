/// The name by which a user picks an engine: `"SQLite"`, `"InMemory"`, ….
public struct StoreType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name itself, as it stands in a store's metadata; case matters.
    public let rawValue: String

    /// Takes any text: whether an engine has the name shows when a store is opened.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any text: whether an engine has the name shows when a store is opened.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// `"SQLite"` is the type of that name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name itself.
    public var description: String { rawValue }
}
