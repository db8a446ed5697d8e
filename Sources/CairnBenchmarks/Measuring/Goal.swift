/// The goal of a contender, from `../shared/design/performance.md`.
package enum Goal: Sendable, Hashable {
    /// A limit on processor time, relative to the baseline.
    case ratio(Double)
    /// A limit on wall-clock time, relative to the baseline.
    case wallRatio(Double)
    /// A limit on the processor time of one operation.
    case nanoseconds(Double)
    /// A limit on the memory of one object.
    case bytes(Double)

    /// The value of the limit.
    package var limit: Double {
        switch self {
        case .ratio(let limit), .wallRatio(let limit), .nanoseconds(let limit), .bytes(let limit):
            limit
        }
    }

    /// The goal as text, such as `≤ 1.30`.
    package var text: String {
        switch self {
        case .ratio(let limit): "≤ \(Format.ratio(limit))"
        case .wallRatio(let limit): "≤ \(Format.ratio(limit)) of the wall"
        case .nanoseconds(let limit): "≤ \(Format.time(nanoseconds: limit))"
        case .bytes(let limit): "≤ \(Format.whole(limit)) B"
        }
    }

    /// Returns the ratio that the goal limits, or `nil` if the goal limits no ratio or the ratio was not
    /// measured.
    func ratio(of result: ContenderResult) -> Ratio? {
        switch self {
        case .ratio: result.ratio
        case .wallRatio: result.wallRatio
        case .nanoseconds, .bytes: nil
        }
    }

    /// Returns whether a measured contender meets the goal, or `nil` if the goal's quantity was not measured.
    func isMet(by result: ContenderResult) -> Bool? {
        switch self {
        case .ratio(let limit), .wallRatio(let limit):
            ratio(of: result).map { $0.median <= limit }
        case .nanoseconds(let limit): result.cpu.median <= limit
        case .bytes(let limit): result.bytesPerObject.map { $0 <= limit }
        }
    }
}

extension Goal: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, limit
    }

    /// Decodes `{"kind": "ratio", "limit": 1.3}`.
    ///
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let limit = try container.decode(Double.self, forKey: .limit)
        switch try container.decode(String.self, forKey: .kind) {
        case "ratio": self = .ratio(limit)
        case "wallRatio": self = .wallRatio(limit)
        case "nanoseconds": self = .nanoseconds(limit)
        case "bytes": self = .bytes(limit)
        case let kind:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: container,
                debugDescription:
                    "“\(kind)” is no kind of goal; ratio, wallRatio, nanoseconds and bytes are")
        }
    }

    /// Encodes the goal in the form that ``init(from:)`` decodes.
    ///
    /// - Throws: `EncodingError`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let kind =
            switch self {
            case .ratio: "ratio"
            case .wallRatio: "wallRatio"
            case .nanoseconds: "nanoseconds"
            case .bytes: "bytes"
            }
        try container.encode(kind, forKey: .kind)
        try container.encode(limit, forKey: .limit)
    }
}
