import CairnModel
import Testing

@testable import CairnGraph

private class Silent: ManagedObject {
    override class var slotNames: [String] { [] }
    override func validateForInsert() throws {}
    override func willSave() {}
}

private class Checking: Silent {
    override func validate(_ value: inout Value, forKey key: String) throws { value = .null }
}

private final class Inheriting: Checking {
    override func didSave() {}
}

private final class Preparing: ManagedObject {
    private var count = 0
    override func willSave() { count += 1 }
}

private final class Refusing: ManagedObject {
    override func validateForDelete() throws { throw GraphError.fetchCancelled }
}

private class General<Element>: ManagedObject {
    var element: Element?
}

private final class Special: General<Int> {
    override func validate(_ value: inout Value, forKey key: String) throws {
        try super.validate(&value, forKey: key)
    }
}

@Suite struct `Overridden hooks` {
    @Test func `are found wherever in the line of classes`() {
        #expect(OverriddenHooks.checksValues(Checking.self))
        #expect(OverriddenHooks.checksValues(Inheriting.self))
        #expect(OverriddenHooks.checksValues(Special.self))
    }

    @Test func `before a save and of validation are found, too`() {
        #expect(OverriddenHooks.preparesSave(Preparing.self))
        #expect(OverriddenHooks.validates(Checking.self))
        #expect(OverriddenHooks.validates(Refusing.self))
    }

    @Test(.enabled(if: Self.isLinux))
    func `before a save and of validation are not taken for others`() {
        #expect(!OverriddenHooks.preparesSave(ManagedObject.self))
        #expect(!OverriddenHooks.preparesSave(Refusing.self))
        #expect(!OverriddenHooks.validates(Preparing.self))
        #expect(!OverriddenHooks.validates(General<String>.self))
    }

    /// On other systems every class counts as one that overrides.
    @Test(.enabled(if: Self.isLinux))
    func `are not taken for others that a class overrides`() {
        #expect(!OverriddenHooks.checksValues(ManagedObject.self))
        #expect(!OverriddenHooks.checksValues(Silent.self))
        #expect(!OverriddenHooks.checksValues(General<String>.self))
    }

    private static var isLinux: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }
}
