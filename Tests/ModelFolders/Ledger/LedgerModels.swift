// Apps seldom document their models.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

public protocol Titled {
    var title: String { get }
}

extension Titled {
    public var heading: String { title.uppercased() }
}

@Model
public final class Account: Titled, Identifiable {
    #Unique<Account>([\.owner, \.number])

    @Attribute(.unique) public let id: UUID
    public private(set) var number: Int
    public internal(set) var owner: String
    public var currency: Currency
    public var limits: Limits?
    @Attribute(originalName: "desc", hashModifier: "v1") public var note: String?
    @Relationship(deleteRule: .deny, inverse: \Entry.account) public private(set) var entries:
        [Entry]
    @Attribute(.ephemeral) public var isSelected: Bool = false

    public var balance: Decimal { entries.reduce(0) { $0 + $1.amount } }
    public var title: String { "\(owner) \(number)" }

    public init(id: UUID = UUID(), number: Int, owner: String, currency: Currency = .euro) {
        self.id = id
        self.number = number
        self.owner = owner
        self.currency = currency
        self.entries = []
    }

    public func book(_ amount: Decimal, on day: Date, _ kind: Entry.Kind = .other) {
        entries.append(Entry(amount: amount, day: day, kind: kind))
    }

    public enum Currency: String, Codable, Sendable {
        case euro = "EUR"
        case dollar = "USD"
    }

    public struct Limits: Codable, Hashable, Sendable {
        public var daily: Decimal
        public var since: Date
        public var approver: UUID?
        public var link: URL?
    }
}

@Model
public final class Entry: Codable, Comparable {
    public enum Kind: Codable, Hashable, Sendable {
        case other
        case transfer(to: UUID)
        case fee(Decimal?)
    }

    enum CodingKeys: String, CodingKey { case amount, day }

    public private(set) var amount: Decimal
    public var day: Date
    public var kind: Kind = Kind.other
    public fileprivate(set) var account: Account?

    public init(amount: Decimal, day: Date, kind: Kind) {
        (self.amount, self.day) = (amount, day)
        self.kind = kind
    }

    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        amount = try container.decode(Decimal.self, forKey: .amount)
        day = try container.decode(Date.self, forKey: .day)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(amount, forKey: .amount)
        try container.encode(day, forKey: .day)
    }

    public static func < (left: Entry, right: Entry) -> Bool { left.day < right.day }
}
