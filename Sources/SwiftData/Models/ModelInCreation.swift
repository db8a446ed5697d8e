internal import Foundation

/// The object whose model a context is creating on the running thread.
///
/// Swift evaluates the initial values of all properties before the body of `init(backingData:)` runs. They are not values of
/// the model, and keeping them until then would cost as much as creating the model.
enum ModelInCreation {
    #if os(Windows)
    static func begin(_ object: BackingData) {}
    static func end() {}
    static func take(_ type: AnyClass) -> BackingData? { nil }
    #else
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Notes that the model of an object is created next. The caller holds the object until ``end()``.
    static func begin(_ object: BackingData) {
        if let key { _ = pthread_setspecific(key, Unmanaged.passUnretained(object).toOpaque()) }
    }

    static func end() {
        if let key { _ = pthread_setspecific(key, nil) }
    }

    /// Returns the object if its model is of the class. An initial value may create models of other classes.
    static func take(_ type: AnyClass) -> BackingData? {
        guard let key, let address = pthread_getspecific(key) else { return nil }
        let object = Unmanaged<BackingData>.fromOpaque(address).takeUnretainedValue()
        guard let entity = object.home?.entity,
            ObjectIdentifier(entity.type) == ObjectIdentifier(type)
        else { return nil }
        end()
        return object
    }
    #endif
}
