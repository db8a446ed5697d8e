import CairnStore
import Foundation

extension [StoreOption: MetadataValue] {
    /// Takes options as Core Data's dictionaries have them: by its names or by Cairn's, with Swift's
    /// values or Foundation's.
    ///
    /// - Throws: `.invalidOption` for a key that is no text, and for a value that no property list can hold.
    init(coreData options: [AnyHashable: Any]) throws(StoreError) {
        self = [:]
        for (key, value) in options {
            guard let option = Self.option(key) else {
                throw .invalidOption(
                    StoreOption(rawValue: "\(key)"), detail: "the name of an option is a string")
            }
            self[option] = try MetadataValue(option: option, value)
        }
    }

    private static func option(_ key: AnyHashable) -> StoreOption? {
        if let option = key.base as? StoreOption { return option }
        return (key.base as? String).map(StoreOption.init(rawValue:))
    }

    /// Core Data's names of options that Cairn has under names of its own.
    private static let ownNames: [StoreOption: StoreOption] = [
        StoreOption(rawValue: MigratePersistentStoresAutomaticallyOption): .migratesAutomatically,
        StoreOption(rawValue: InferMappingModelAutomaticallyOption): .infersMappingModel,
        StoreOption(rawValue: ReadOnlyPersistentStoreOption): .readOnly,
        StoreOption(rawValue: PersistentStoreTimeoutOption): .timeout,
        StoreOption(rawValue: PersistentStoreRemoteChangeNotificationPostOptionKey):
            .postsRemoteChanges,
    ]

    /// What Core Data's options ask for that Cairn does not do, with the advice for errors.
    private static let unavailable: [StoreOption: String] = [
        StoreOption(rawValue: PersistentHistoryTrackingKey):
            "no history of saves is kept. Leave the option out",
        StoreOption(rawValue: SQLiteAnalyzeOption):
            "stores are not analyzed when they are added. Leave the option out",
        StoreOption(rawValue: SQLiteManualVacuumOption):
            "stores are not vacuumed when they are added. Leave the option out",
        StoreOption(rawValue: IgnorePersistentStoreVersioningOption):
            "the versions of model and store are always compared. Leave the option out",
    ]

    private static let fileProtection = StoreOption(rawValue: PersistentStoreFileProtectionKey)

    /// Returns the options by Cairn's names. What asks for nothing, such as `false` for a history of
    /// saves, is left out.
    ///
    /// - Throws: `.invalidOption` for an option of Core Data that cannot be honoured.
    func translatingCoreDataNames() throws(StoreError) -> Self {
        var translated: Self = [:]
        for (option, value) in self {
            if let own = Self.ownNames[option] {
                translated[own] = value
            } else if let advice = Self.unavailable[option] {
                guard value == .boolean(false) || value == .integer(0) else {
                    throw .invalidOption(option, detail: advice)
                }
            } else if option == Self.fileProtection {
                guard value == .string("NSFileProtectionNone") else {
                    throw .invalidOption(
                        option, detail: "Linux does not protect single files. Leave the option out")
                }
            } else {
                translated[option] = value
            }
        }
        return translated
    }
}

extension MetadataValue {
    /// Takes an option's value of Swift's or Foundation's types.
    ///
    /// - Throws: `.invalidOption` for a value that no property list can hold.
    init(option: StoreOption, _ value: Any) throws(StoreError) {
        // The exact types first: a dynamic cast of a Boolean succeeds for numbers, too.
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
            throw .invalidOption(option, detail: Self.refusal(of: value))
        }
    }

    /// Why a value cannot be an option's.
    static func refusal(of value: Any) -> String {
        "a value of the type \(type(of: value)) cannot be an option's;"
            + " use a Boolean, a number, a text, a date, data, an array or a dictionary"
    }

    private static func number(_ number: NSNumber) -> MetadataValue {
        switch String(cString: number.objCType) {
        case "c" where [0, 1].contains(number.int64Value), "B": .boolean(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }
}
