import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

private class Silent: ManagedObject {
    override func didSave() {}
}

private class Checking: Silent, ValueValidating {
    func checkValue(_ value: inout Value, forKey key: String) throws { value = .string(key) }
}

private final class Inheriting: Checking {
    override func checkValue(_ value: inout Value, forKey key: String) throws {
        try super.checkValue(&value, forKey: key + "!")
    }
}

private final class Preparing: ManagedObject, SavePreparing {
    private(set) var count = 0
    func prepareForSave() { count += 1 }
}

private final class Refusing: ManagedObject, ObjectValidating {
    func checkObject(for operation: SaveOperation) throws { throw GraphError.fetchCancelled }
}

private class General<Element>: ManagedObject {
    var element: Element?
}

private final class Special: General<Int>, ValueValidating {
    func checkValue(_ value: inout Value, forKey key: String) throws {}
}

@Suite struct `Hooks of a class` {
    @Test func `are found in the class and its superclasses`() {
        #expect(ClassHooks(of: Checking.self).checkValue != nil)
        #expect(ClassHooks(of: Inheriting.self).checkValue != nil)
        #expect(ClassHooks(of: Special.self).checkValue != nil)
        #expect(ClassHooks(of: Preparing.self).prepareForSave != nil)
        #expect(ClassHooks(of: Refusing.self).checkObject != nil)
        #expect(ClassHooks(of: Checking.self).validates && ClassHooks(of: Refusing.self).validates)
    }

    @Test func `are not found in classes without them`() {
        for plain in [ManagedObject.self, Silent.self, General<String>.self] {
            let hooks = ClassHooks(of: plain)
            #expect(hooks.checkValue == nil && hooks.checkObject == nil)
            #expect(hooks.prepareForSave == nil && !hooks.validates)
        }
        #expect(ClassHooks(of: Checking.self).checkObject == nil)
        #expect(ClassHooks(of: Refusing.self).checkValue == nil)
        #expect(!ClassHooks(of: Preparing.self).validates)
    }

    @Test func `call what the object's class overrides`() throws {
        let stack = try MusicStack()
        var classes = ObjectClasses()
        classes.register(Inheriting.self, as: "Tag")
        let context = try stack.context(classes: classes)
        let tag = try context.insertNewObject(forEntityName: "Tag")
        var value = Value.null

        try ClassHooks(of: Inheriting.self).checkValue?(tag, &value, "name")

        #expect(value == "name!")
    }
}
