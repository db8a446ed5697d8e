#if !canImport(Darwin)
import Foundation

extension StoreOption {
    /// Creates an option from its name in Core Data or in Cairn.
    init(coreDataName name: String) {
        let option = StoreOption(rawValue: name)
        self = Self.ownNames[option] ?? option
    }

    /// Core Data's names of options for which Cairn has its own names.
    private static let ownNames: [StoreOption: StoreOption] = [
        StoreOption(rawValue: NSMigratePersistentStoresAutomaticallyOption): .migratesAutomatically,
        StoreOption(rawValue: NSInferMappingModelAutomaticallyOption): .infersMappingModel,
        StoreOption(rawValue: NSPersistentStoreDeferredLightweightMigrationOptionKey):
            .defersMigrationCleanup,
        StoreOption(rawValue: NSReadOnlyPersistentStoreOption): .readOnly,
        StoreOption(rawValue: NSPersistentStoreTimeoutOption): .timeout,
        StoreOption(rawValue: NSPersistentStoreRemoteChangeNotificationPostOptionKey):
            .postsRemoteChanges,
        StoreOption(rawValue: NSPersistentHistoryTrackingKey): .tracksHistory,
    ]
}

extension [StoreOption: MetadataValue] {
    /// Core Data's options that Cairn does not support, with advice for the error message.
    private static let unavailable: [String: String] = [
        NSSQLiteAnalyzeOption:
            "Cairn does not analyze stores when they are added. Leave the option out",
        NSSQLiteManualVacuumOption:
            "Cairn does not vacuum stores when they are added. Leave the option out",
        NSIgnorePersistentStoreVersioningOption:
            "Cairn always compares the model with the store. Leave the option out",
    ]

    /// Creates options from a dictionary in Core Data's form: the keys are Core Data's names or Cairn's,
    /// and the values have types of Swift or Foundation. Options that request nothing, such as `false` for
    /// analyzing a store, are left out.
    ///
    /// - Throws: `.invalidOption` if a key is not a string, if a property list cannot contain a value, or
    ///   for an option of Core Data that is not supported.
    init(coreData options: [AnyHashable: Any]) throws(StoreError) {
        self = [:]
        for (key, value) in options {
            guard let name = (key.base as? StoreOption)?.rawValue ?? key.base as? String else {
                throw .invalidOption(
                    StoreOption(rawValue: "\(key)"),
                    detail: "the name of an option must be a string")
            }
            try add(name, try MetadataValue(option: StoreOption(rawValue: name), value))
        }
    }

    private mutating func add(_ name: String, _ value: MetadataValue) throws(StoreError) {
        if let advice = Self.unavailable[name] {
            guard value == .boolean(false) || value == .integer(0) else {
                throw .invalidOption(StoreOption(rawValue: name), detail: advice)
            }
        } else if name == NSPersistentStoreFileProtectionKey {
            guard value == .string("NSFileProtectionNone") else {
                throw .invalidOption(
                    StoreOption(rawValue: name),
                    detail: "Linux does not protect single files. Leave the option out")
            }
        } else {
            self[StoreOption(coreDataName: name)] = value
        }
    }
}

extension MetadataValue {
    /// Creates an option's value from a value of Swift or Foundation.
    ///
    /// - Throws: `.invalidOption` if a property list cannot contain the value.
    init(option: StoreOption, _ value: Any) throws(StoreError) {
        // Exact types are checked first: numbers can also be cast to Boolean.
        if type(of: value) == Bool.self, let value = value as? Bool {
            self = .boolean(value)
        } else if let value = value as? NSNumber {
            self = Self.number(value)
        } else if let value = value as? MetadataValue {
            self = value
        } else if let value = value as? String {
            self = .string(value)
        } else if let value = value as? Date {
            self = .date(value)
        } else if let value = value as? Data {
            self = .data(value)
        } else if let value = value as? FileProtectionType {
            self = .string(value.rawValue)
        } else if let values = value as? [Any] {
            var array: [MetadataValue] = []
            for value in values { array.append(try MetadataValue(option: option, value)) }
            self = .array(array)
        } else if let values = value as? [String: Any] {
            var dictionary: [String: MetadataValue] = [:]
            for (key, value) in values {
                dictionary[key] = try MetadataValue(option: option, value)
            }
            self = .dictionary(dictionary)
        } else {
            throw .invalidOption(
                option,
                detail: "a value of type \(type(of: value)) cannot be the value of an option; use a"
                    + " Boolean, a number, a string, a date, data, an array or a dictionary")
        }
    }

    private static func number(_ number: NSNumber) -> MetadataValue {
        switch String(cString: number.objCType) {
        case "c" where [0, 1].contains(number.int64Value), "B": .boolean(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }
}
#endif
