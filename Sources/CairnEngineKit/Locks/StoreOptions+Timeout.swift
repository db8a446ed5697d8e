import CairnModel
import CairnStore

/// Checks and reads the options of an ``OpenRequest``.
extension [StoreOption: MetadataValue] {
    /// Checks that an engine knows all of the options.
    ///
    /// - Parameters:
    ///   - known: the options in the engine's ``StoreCapabilities``.
    ///   - engine: names the kind of store in errors, such as “a log store”.
    /// - Throws: `.invalidOption` for an unknown option, the first one by name.
    public func requireKnown(
        _ known: Set<StoreOption>, by engine: String
    ) throws(StoreError) {
        let unknown = keys.filter { !known.contains($0) }.min { $0.rawValue < $1.rawValue }
        guard let unknown else { return }
        let names = known.map(\.rawValue).sorted()
        var detail = "\(engine) has no such option"
        if let nearest = NearestName.of(unknown.rawValue, among: names) {
            detail += ". Did you mean “\(nearest)”? Its options are "
        } else if !names.isEmpty {
            detail += ". Its options are "
        }
        detail += names.joined(separator: ", ")
        throw .invalidOption(unknown, detail: detail)
    }

    /// Returns the option `timeout`, which says how long a save waits for others. The default is 5
    /// seconds.
    ///
    /// - Throws: `.invalidOption` if the value is not a number of seconds from 0 to 31536000 (a
    ///   year). Some clocks cannot express longer waits.
    public func timeout() throws(StoreError) -> Duration {
        let seconds: Double =
            switch self[.timeout] {
            case nil: 5
            case .integer(let value): Double(value)
            case .real(let value): value
            default: .nan
            }
        guard seconds >= 0, seconds <= 31_536_000 else {
            throw .invalidOption(
                .timeout, detail: "its value must be a number of seconds from 0 to 31536000")
        }
        return .seconds(seconds)
    }
}
