import CairnRows
import Testing

@Suite struct `An uncounted reference` {
    private final class Object {}

    @Test func `leads to its object, also by its address`() {
        let object = Object()
        let reference = Uncounted(object)

        #expect(reference.object === object)
        #expect(reference.withObject { $0 === object })
        #expect(Uncounted<Object>(pointer: reference.pointer).object === object)
    }

    @Test func `does not keep its object alive`() {
        weak var gone: Object?
        var reference: Uncounted<Object>?
        do {
            let object = Object()
            gone = object
            reference = Uncounted(object)
            #expect(reference?.object === object)
        }

        #expect(gone == nil)
        reference = nil
    }

    #if DEBUG
    @Test func `stops a debug build that uses it after the object was released`() async {
        await #expect(processExitsWith: .failure) {
            final class Gone {}
            func make() -> Uncounted<Gone> { Uncounted(Gone()) }
            let reference = make()
            _ = reference.object
        }
    }
    #endif
}
