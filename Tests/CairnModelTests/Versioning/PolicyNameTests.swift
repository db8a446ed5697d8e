import Testing

@testable import CairnModel

@Suite struct `The name of a policy in a mapping model` {
    private static func history(_ names: String...) -> ModelHistory {
        var history = ModelHistory()
        history.policies = names.map { ModelHistory.Policy(name: $0, body: ()) }
        return history
    }

    private static let forms = [
        "Shop.PricePolicy", "PricePolicy", "_TtC4Shop11PricePolicy",
        "_TtC4ShopP33_0123456789ABCDEF0123456789ABCDEF11PricePolicy",
        "_TtCC4Shop8Policies11PricePolicy", "Shop.Policies.PricePolicy", "Store.PricePolicy",
    ]

    @Test(arguments: forms, forms)
    func `leads to a policy that is registered under any form of its name`(
        _ name: String, _ registered: String
    ) {
        let history = Self.history("Shop.OtherPolicy", registered)

        #expect(history.policy(named: name)?.name == registered)
    }

    @Test func `leads to the policy of the same module, if there are several`() {
        let history = Self.history("Store.PricePolicy", "Shop.PricePolicy", "PricePolicy")

        #expect(history.policy(named: "_TtC4Shop11PricePolicy")?.name == "Shop.PricePolicy")
        #expect(history.policy(named: "_TtC5Store11PricePolicy")?.name == "Store.PricePolicy")
        #expect(history.policy(named: "PricePolicy")?.name == "PricePolicy")
    }

    @Test(arguments: ["STMPricePolicy", "Price", "_TtC4Shop99PricePolicy", "_TtC", "", "."])
    func `leads nowhere if it is the name of another class or is damaged`(_ name: String) {
        #expect(Self.history("Shop.PricePolicy").policy(named: name) == nil)
    }

    @Test func `may have the prefix of an Objective-C class`() {
        let history = Self.history("STMPricePolicy")

        #expect(history.policy(named: "STMPricePolicy") != nil)
        #expect(history.policy(named: "Shop.STMPricePolicy") != nil)
        #expect(history.policy(named: "PricePolicy") == nil)
    }
}
