/// Where a row is measured.
public protocol MeasuringPlace {
    /// The engine's type, such as `SQLite`.
    var engineName: String { get }
    /// How many objects there are.
    var size: Int { get }
}

extension Setting: MeasuringPlace {}
