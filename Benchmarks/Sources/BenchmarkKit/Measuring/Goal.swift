/// What a contender should reach, of `../shared/design/performance.md`.
public enum Goal: Sendable, Hashable {
    /// Processor time over the baseline's.
    case ratio(Double)
    /// Time on the wall over the baseline's.
    case wallRatio(Double)
    /// Processor time of one operation.
    case nanoseconds(Double)
    /// Memory of one object.
    case bytes(Double)

    /// The bound itself.
    public var limit: Double {
        switch self {
        case .ratio(let limit), .wallRatio(let limit), .nanoseconds(let limit), .bytes(let limit):
            limit
        }
    }

    /// In words, such as `≤ 1.30`.
    public var text: String {
        switch self {
        case .ratio(let limit): "≤ \(Format.ratio(limit))"
        case .wallRatio(let limit): "≤ \(Format.ratio(limit)) of the wall"
        case .nanoseconds(let limit): "≤ \(Format.time(nanoseconds: limit))"
        case .bytes(let limit): "≤ \(Format.whole(limit)) B"
        }
    }

    /// The ratio that the goal is about. `nil` if it is about none, or none was measured.
    func ratio(of result: ContenderResult) -> Ratio? {
        switch self {
        case .ratio: result.ratio
        case .wallRatio: result.wallRatio
        case .nanoseconds, .bytes: nil
        }
    }

    /// Whether a measured contender reaches it; nil: what it is about was not measured.
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

    /// Reads `{"kind": "ratio", "limit": 1.3}`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
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

    /// Writes what ``init(from:)`` reads.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
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
