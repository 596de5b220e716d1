// @ts-nocheck
// Generated from the schemas by Ajv. Run `node scripts/compile-validators.ts` after you change one.
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
const func2 = ucs2length.default;

export const validateTask = validate10;
const schema11 = {"$id":"validateTask","type":"object","required":["contractVersion","bucket"],"properties":{"contractVersion":{"const":1},"bucket":{"type":"object","required":["service","name"],"properties":{"service":{"enum":["s3","r2"]},"name":{"type":"string","minLength":1},"region":{"type":"string"},"host":{"type":"string"},"accountId":{"type":"string"},"endpoint":{"type":"string"},"caBundle":{"type":"string"},"webIdentity":{"type":"object","required":["roleArn","audience"],"properties":{"roleArn":{"type":"string","minLength":1},"audience":{"type":"string","minLength":1},"stsEndpoint":{"type":"string"},"stsRegion":{"type":"string"},"durationSeconds":{"type":"integer","minimum":0}}},"storageClass":{"type":"string"},"cacheControl":{"type":"string"},"contentDisposition":{"type":"string"},"acl":{"type":"string"},"serverSideEncryption":{"enum":["AES256","aws:kms"]},"kmsKeyId":{"type":"string"},"bucketKeyEnabled":{"type":"boolean"},"metadata":{"type":"object","additionalProperties":{"type":"string"}},"tags":{"type":"object","additionalProperties":{"type":"string"}}}},"settings":{"type":"object"}},"discriminator":{"propertyName":"mode"},"oneOf":[{"type":"object","required":["mode","namespace","zipJob","zipJobUid","key","compression","onConflict","defaultModificationTime","files","startDeadlineSeconds","activeDeadlineSeconds"],"properties":{"mode":{"const":"archive"},"namespace":{"type":"string","minLength":1},"zipJob":{"type":"string","minLength":1},"zipJobUid":{"type":"string","minLength":1},"key":{"type":"string","minLength":1},"compression":{"enum":["auto","store","deflate"]},"onConflict":{"enum":["replace","fail"]},"sha256":{"type":"boolean"},"onSourceError":{"enum":["Fail","Skip","Placeholder"]},"manifestEntry":{"type":"string","minLength":1},"manifestFormat":{"enum":["json","sha256sum","bagit"]},"sequential":{"type":"boolean"},"objectOptions":{"type":"object","properties":{"contentDisposition":{"type":"string"},"contentType":{"type":"string"},"cacheControl":{"type":"string"},"storageClass":{"type":"string"},"metadata":{"type":"object","additionalProperties":{"type":"string"}},"tags":{"type":"object","additionalProperties":{"type":"string"}}}},"portableNames":{"enum":["keep","refuse","rewrite"]},"duplicateNames":{"enum":["refuse","rename"]},"fixedModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"defaultModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"files":{"type":"object","discriminator":{"propertyName":"from"},"oneOf":[{"type":"object","required":["from","chunks","count","sha256"],"properties":{"from":{"const":"mounted"},"chunks":{"type":"integer","minimum":0},"count":{"type":"integer","minimum":0},"sha256":{"type":"string","minLength":1}}},{"type":"object","required":["from","count"],"properties":{"from":{"const":"inline"},"count":{"type":"integer","minimum":0}}}]},"sourceBuckets":{"type":"array","items":{"type":"object","required":["zipBucket","service","name"],"properties":{"zipBucket":{"type":"string","minLength":1},"service":{"enum":["s3","r2"]},"name":{"type":"string","minLength":1},"region":{"type":"string"},"host":{"type":"string"},"accountId":{"type":"string"},"endpoint":{"type":"string"},"caBundle":{"type":"string"},"webIdentity":{"type":"object","required":["roleArn","audience"],"properties":{"roleArn":{"type":"string","minLength":1},"audience":{"type":"string","minLength":1},"stsEndpoint":{"type":"string"},"stsRegion":{"type":"string"},"durationSeconds":{"type":"integer","minimum":0}}}}}},"startDeadlineSeconds":{"type":"number","minimum":0},"activeDeadlineSeconds":{"type":"number","minimum":0},"sealingKey":{"type":"string","pattern":"^[A-Za-z0-9_-]{43}$"},"sharedTarget":{"type":"boolean"}}},{"type":"object","required":["mode","zipJobUid","key","attempt","since","endedAt","endedAgeSeconds"],"properties":{"mode":{"const":"recover"},"zipJobUid":{"type":"string","minLength":1},"key":{"type":"string","minLength":1},"attempt":{"type":"string","minLength":1},"since":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"endedAt":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"endedAgeSeconds":{"type":"number","minimum":0},"bytes":{"type":"integer","minimum":0},"sharedTarget":{"type":"boolean"}},"discriminator":{"propertyName":"uploadState"},"oneOf":[{"type":"object","required":["uploadState","uploadId"],"properties":{"uploadState":{"enum":["open","committing"]},"uploadId":{"type":"string","minLength":1},"finish":{"type":"object","required":["parts","partsDigest","onConflict"],"properties":{"parts":{"type":"integer","minimum":0},"partsDigest":{"type":"string","minLength":1},"onConflict":{"enum":["replace","fail"]}}}}},{"type":"object","required":["uploadState"],"properties":{"uploadState":{"const":"unrecorded"}}}]},{"type":"object","required":["mode"],"properties":{"mode":{"const":"check-bucket"}}}]};

const pattern0 = new RegExp("^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$", "u");
const pattern2 = new RegExp("^[A-Za-z0-9_-]{43}$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateTask" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.contractVersion === undefined) && (missing0 = "contractVersion")) || ((data.bucket === undefined) && (missing0 = "bucket"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.contractVersion !== undefined){
const _errs2 = errors;
if(1 !== data.contractVersion){
validate10.errors = [{instancePath:instancePath+"/contractVersion",schemaPath:"#/properties/contractVersion/const",keyword:"const",params:{allowedValue: 1},message:"must be equal to constant"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.bucket !== undefined){
let data1 = data.bucket;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if(((data1.service === undefined) && (missing1 = "service")) || ((data1.name === undefined) && (missing1 = "name"))){
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data1.service !== undefined){
let data2 = data1.service;
const _errs5 = errors;
if(!((data2 === "s3") || (data2 === "r2"))){
validate10.errors = [{instancePath:instancePath+"/bucket/service",schemaPath:"#/properties/bucket/properties/service/enum",keyword:"enum",params:{allowedValues: schema11.properties.bucket.properties.service.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.name !== undefined){
let data3 = data1.name;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data3 === "string"){
if(func2(data3) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.region !== undefined){
const _errs8 = errors;
if(typeof data1.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/region",schemaPath:"#/properties/bucket/properties/region/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.host !== undefined){
const _errs10 = errors;
if(typeof data1.host !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/host",schemaPath:"#/properties/bucket/properties/host/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.accountId !== undefined){
const _errs12 = errors;
if(typeof data1.accountId !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/accountId",schemaPath:"#/properties/bucket/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs12 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.endpoint !== undefined){
const _errs14 = errors;
if(typeof data1.endpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/endpoint",schemaPath:"#/properties/bucket/properties/endpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.caBundle !== undefined){
const _errs16 = errors;
if(typeof data1.caBundle !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/caBundle",schemaPath:"#/properties/bucket/properties/caBundle/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs16 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.webIdentity !== undefined){
let data9 = data1.webIdentity;
const _errs18 = errors;
if(errors === _errs18){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
let missing2;
if(((data9.roleArn === undefined) && (missing2 = "roleArn")) || ((data9.audience === undefined) && (missing2 = "audience"))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data9.roleArn !== undefined){
let data10 = data9.roleArn;
const _errs20 = errors;
if(errors === _errs20){
if(typeof data10 === "string"){
if(func2(data10) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.audience !== undefined){
let data11 = data9.audience;
const _errs22 = errors;
if(errors === _errs22){
if(typeof data11 === "string"){
if(func2(data11) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid2 = _errs22 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.stsEndpoint !== undefined){
const _errs24 = errors;
if(typeof data9.stsEndpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsEndpoint",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsEndpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs24 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.stsRegion !== undefined){
const _errs26 = errors;
if(typeof data9.stsRegion !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsRegion",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsRegion/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs26 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.durationSeconds !== undefined){
let data14 = data9.durationSeconds;
const _errs28 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs28){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 < 0 || isNaN(data14)){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid2 = _errs28 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs18 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.storageClass !== undefined){
const _errs30 = errors;
if(typeof data1.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/storageClass",schemaPath:"#/properties/bucket/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs30 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cacheControl !== undefined){
const _errs32 = errors;
if(typeof data1.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/cacheControl",schemaPath:"#/properties/bucket/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs32 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.contentDisposition !== undefined){
const _errs34 = errors;
if(typeof data1.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/contentDisposition",schemaPath:"#/properties/bucket/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs34 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.acl !== undefined){
const _errs36 = errors;
if(typeof data1.acl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/acl",schemaPath:"#/properties/bucket/properties/acl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs36 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.serverSideEncryption !== undefined){
let data19 = data1.serverSideEncryption;
const _errs38 = errors;
if(!((data19 === "AES256") || (data19 === "aws:kms"))){
validate10.errors = [{instancePath:instancePath+"/bucket/serverSideEncryption",schemaPath:"#/properties/bucket/properties/serverSideEncryption/enum",keyword:"enum",params:{allowedValues: schema11.properties.bucket.properties.serverSideEncryption.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs38 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.kmsKeyId !== undefined){
const _errs39 = errors;
if(typeof data1.kmsKeyId !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/kmsKeyId",schemaPath:"#/properties/bucket/properties/kmsKeyId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs39 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.bucketKeyEnabled !== undefined){
const _errs41 = errors;
if(typeof data1.bucketKeyEnabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/bucket/bucketKeyEnabled",schemaPath:"#/properties/bucket/properties/bucketKeyEnabled/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid1 = _errs41 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.metadata !== undefined){
let data22 = data1.metadata;
const _errs43 = errors;
if(errors === _errs43){
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
for(const key0 in data22){
const _errs46 = errors;
if(typeof data22[key0] !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/metadata/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/bucket/properties/metadata/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs46 === errors;
if(!valid3){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/metadata",schemaPath:"#/properties/bucket/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs43 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.tags !== undefined){
let data24 = data1.tags;
const _errs48 = errors;
if(errors === _errs48){
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
for(const key1 in data24){
const _errs51 = errors;
if(typeof data24[key1] !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/tags/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/bucket/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs51 === errors;
if(!valid4){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/tags",schemaPath:"#/properties/bucket/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs48 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.settings !== undefined){
let data26 = data.settings;
const _errs53 = errors;
if(!(data26 && typeof data26 == "object" && !Array.isArray(data26))){
validate10.errors = [{instancePath:instancePath+"/settings",schemaPath:"#/properties/settings/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
if(valid0){
const tag0 = data.mode;
if(typeof tag0 == "string"){
if(tag0 === "archive"){
const _errs55 = errors;
if(errors === _errs55){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if((((((((((((data.mode === undefined) && (missing3 = "mode")) || ((data.namespace === undefined) && (missing3 = "namespace"))) || ((data.zipJob === undefined) && (missing3 = "zipJob"))) || ((data.zipJobUid === undefined) && (missing3 = "zipJobUid"))) || ((data.key === undefined) && (missing3 = "key"))) || ((data.compression === undefined) && (missing3 = "compression"))) || ((data.onConflict === undefined) && (missing3 = "onConflict"))) || ((data.defaultModificationTime === undefined) && (missing3 = "defaultModificationTime"))) || ((data.files === undefined) && (missing3 = "files"))) || ((data.startDeadlineSeconds === undefined) && (missing3 = "startDeadlineSeconds"))) || ((data.activeDeadlineSeconds === undefined) && (missing3 = "activeDeadlineSeconds"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs57 = errors;
if("archive" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/0/properties/mode/const",keyword:"const",params:{allowedValue: "archive"},message:"must be equal to constant"}];
return false;
}
var valid7 = _errs57 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.namespace !== undefined){
let data28 = data.namespace;
const _errs58 = errors;
if(errors === _errs58){
if(typeof data28 === "string"){
if(func2(data28) < 1){
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs58 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.zipJob !== undefined){
let data29 = data.zipJob;
const _errs60 = errors;
if(errors === _errs60){
if(typeof data29 === "string"){
if(func2(data29) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs60 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.zipJobUid !== undefined){
let data30 = data.zipJobUid;
const _errs62 = errors;
if(errors === _errs62){
if(typeof data30 === "string"){
if(func2(data30) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs62 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.key !== undefined){
let data31 = data.key;
const _errs64 = errors;
if(errors === _errs64){
if(typeof data31 === "string"){
if(func2(data31) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs64 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.compression !== undefined){
let data32 = data.compression;
const _errs66 = errors;
if(!(((data32 === "auto") || (data32 === "store")) || (data32 === "deflate"))){
validate10.errors = [{instancePath:instancePath+"/compression",schemaPath:"#/oneOf/0/properties/compression/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.compression.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs66 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.onConflict !== undefined){
let data33 = data.onConflict;
const _errs67 = errors;
if(!((data33 === "replace") || (data33 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/onConflict",schemaPath:"#/oneOf/0/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs67 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sha256 !== undefined){
const _errs68 = errors;
if(typeof data.sha256 !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sha256",schemaPath:"#/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs68 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.onSourceError !== undefined){
let data35 = data.onSourceError;
const _errs70 = errors;
if(!(((data35 === "Fail") || (data35 === "Skip")) || (data35 === "Placeholder"))){
validate10.errors = [{instancePath:instancePath+"/onSourceError",schemaPath:"#/oneOf/0/properties/onSourceError/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onSourceError.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs70 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.manifestEntry !== undefined){
let data36 = data.manifestEntry;
const _errs71 = errors;
if(errors === _errs71){
if(typeof data36 === "string"){
if(func2(data36) < 1){
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs71 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.manifestFormat !== undefined){
let data37 = data.manifestFormat;
const _errs73 = errors;
if(!(((data37 === "json") || (data37 === "sha256sum")) || (data37 === "bagit"))){
validate10.errors = [{instancePath:instancePath+"/manifestFormat",schemaPath:"#/oneOf/0/properties/manifestFormat/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.manifestFormat.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs73 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sequential !== undefined){
const _errs74 = errors;
if(typeof data.sequential !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sequential",schemaPath:"#/oneOf/0/properties/sequential/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs74 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.objectOptions !== undefined){
let data39 = data.objectOptions;
const _errs76 = errors;
if(errors === _errs76){
if(data39 && typeof data39 == "object" && !Array.isArray(data39)){
if(data39.contentDisposition !== undefined){
const _errs78 = errors;
if(typeof data39.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentDisposition",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs78 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.contentType !== undefined){
const _errs80 = errors;
if(typeof data39.contentType !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentType",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentType/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs80 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.cacheControl !== undefined){
const _errs82 = errors;
if(typeof data39.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/cacheControl",schemaPath:"#/oneOf/0/properties/objectOptions/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs82 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.storageClass !== undefined){
const _errs84 = errors;
if(typeof data39.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/storageClass",schemaPath:"#/oneOf/0/properties/objectOptions/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs84 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.metadata !== undefined){
let data44 = data39.metadata;
const _errs86 = errors;
if(errors === _errs86){
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
for(const key2 in data44){
const _errs89 = errors;
if(typeof data44[key2] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid9 = _errs89 === errors;
if(!valid9){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata",schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid8 = _errs86 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.tags !== undefined){
let data46 = data39.tags;
const _errs91 = errors;
if(errors === _errs91){
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
for(const key3 in data46){
const _errs94 = errors;
if(typeof data46[key3] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid10 = _errs94 === errors;
if(!valid10){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags",schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid8 = _errs91 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions",schemaPath:"#/oneOf/0/properties/objectOptions/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs76 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.portableNames !== undefined){
let data48 = data.portableNames;
const _errs96 = errors;
if(!(((data48 === "keep") || (data48 === "refuse")) || (data48 === "rewrite"))){
validate10.errors = [{instancePath:instancePath+"/portableNames",schemaPath:"#/oneOf/0/properties/portableNames/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.portableNames.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs96 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.duplicateNames !== undefined){
let data49 = data.duplicateNames;
const _errs97 = errors;
if(!((data49 === "refuse") || (data49 === "rename"))){
validate10.errors = [{instancePath:instancePath+"/duplicateNames",schemaPath:"#/oneOf/0/properties/duplicateNames/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.duplicateNames.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs97 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.fixedModificationTime !== undefined){
let data50 = data.fixedModificationTime;
const _errs98 = errors;
if(errors === _errs98){
if(typeof data50 === "string"){
if(!pattern0.test(data50)){
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs98 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.defaultModificationTime !== undefined){
let data51 = data.defaultModificationTime;
const _errs100 = errors;
if(errors === _errs100){
if(typeof data51 === "string"){
if(!pattern0.test(data51)){
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs100 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.files !== undefined){
let data52 = data.files;
const _errs102 = errors;
if(errors === _errs102){
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
const tag1 = data52.from;
if(typeof tag1 == "string"){
if(tag1 === "mounted"){
const _errs105 = errors;
if(errors === _errs105){
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
let missing4;
if(((((data52.from === undefined) && (missing4 = "from")) || ((data52.chunks === undefined) && (missing4 = "chunks"))) || ((data52.count === undefined) && (missing4 = "count"))) || ((data52.sha256 === undefined) && (missing4 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data52.from !== undefined){
const _errs107 = errors;
if("mounted" !== data52.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/from/const",keyword:"const",params:{allowedValue: "mounted"},message:"must be equal to constant"}];
return false;
}
var valid13 = _errs107 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data52.chunks !== undefined){
let data54 = data52.chunks;
const _errs108 = errors;
if(!(((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54))) && (isFinite(data54)))){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs108){
if((typeof data54 == "number") && (isFinite(data54))){
if(data54 < 0 || isNaN(data54)){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid13 = _errs108 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data52.count !== undefined){
let data55 = data52.count;
const _errs110 = errors;
if(!(((typeof data55 == "number") && (!(data55 % 1) && !isNaN(data55))) && (isFinite(data55)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs110){
if((typeof data55 == "number") && (isFinite(data55))){
if(data55 < 0 || isNaN(data55)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid13 = _errs110 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data52.sha256 !== undefined){
let data56 = data52.sha256;
const _errs112 = errors;
if(errors === _errs112){
if(typeof data56 === "string"){
if(func2(data56) < 1){
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid13 = _errs112 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag1 === "inline"){
const _errs114 = errors;
if(errors === _errs114){
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
let missing5;
if(((data52.from === undefined) && (missing5 = "from")) || ((data52.count === undefined) && (missing5 = "count"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
if(data52.from !== undefined){
const _errs116 = errors;
if("inline" !== data52.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/from/const",keyword:"const",params:{allowedValue: "inline"},message:"must be equal to constant"}];
return false;
}
var valid15 = _errs116 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data52.count !== undefined){
let data58 = data52.count;
const _errs117 = errors;
if(!(((typeof data58 == "number") && (!(data58 % 1) && !isNaN(data58))) && (isFinite(data58)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs117){
if((typeof data58 == "number") && (isFinite(data58))){
if(data58 < 0 || isNaN(data58)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid15 = _errs117 === errors;
}
else {
var valid15 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "from", tagValue: tag1},message:"value of tag \"from\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "tag", tag: "from", tagValue: tag1},message:"tag \"from\" must be string"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs102 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sourceBuckets !== undefined){
let data59 = data.sourceBuckets;
const _errs119 = errors;
if(errors === _errs119){
if(Array.isArray(data59)){
var valid16 = true;
const len0 = data59.length;
for(let i0=0; i0<len0; i0++){
let data60 = data59[i0];
const _errs121 = errors;
if(errors === _errs121){
if(data60 && typeof data60 == "object" && !Array.isArray(data60)){
let missing6;
if((((data60.zipBucket === undefined) && (missing6 = "zipBucket")) || ((data60.service === undefined) && (missing6 = "service"))) || ((data60.name === undefined) && (missing6 = "name"))){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0,schemaPath:"#/oneOf/0/properties/sourceBuckets/items/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
if(data60.zipBucket !== undefined){
let data61 = data60.zipBucket;
const _errs123 = errors;
if(errors === _errs123){
if(typeof data61 === "string"){
if(func2(data61) < 1){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/zipBucket",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/zipBucket/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/zipBucket",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/zipBucket/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs123 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.service !== undefined){
let data62 = data60.service;
const _errs125 = errors;
if(!((data62 === "s3") || (data62 === "r2"))){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/service",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/service/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.sourceBuckets.items.properties.service.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid17 = _errs125 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.name !== undefined){
let data63 = data60.name;
const _errs126 = errors;
if(errors === _errs126){
if(typeof data63 === "string"){
if(func2(data63) < 1){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/name",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/name",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs126 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.region !== undefined){
const _errs128 = errors;
if(typeof data60.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/region",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/region/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs128 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.host !== undefined){
const _errs130 = errors;
if(typeof data60.host !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/host",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/host/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs130 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.accountId !== undefined){
const _errs132 = errors;
if(typeof data60.accountId !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/accountId",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs132 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.endpoint !== undefined){
const _errs134 = errors;
if(typeof data60.endpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/endpoint",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/endpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs134 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.caBundle !== undefined){
const _errs136 = errors;
if(typeof data60.caBundle !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/caBundle",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/caBundle/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs136 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data60.webIdentity !== undefined){
let data69 = data60.webIdentity;
const _errs138 = errors;
if(errors === _errs138){
if(data69 && typeof data69 == "object" && !Array.isArray(data69)){
let missing7;
if(((data69.roleArn === undefined) && (missing7 = "roleArn")) || ((data69.audience === undefined) && (missing7 = "audience"))){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
if(data69.roleArn !== undefined){
let data70 = data69.roleArn;
const _errs140 = errors;
if(errors === _errs140){
if(typeof data70 === "string"){
if(func2(data70) < 1){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/roleArn",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/roleArn/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/roleArn",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/roleArn/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid18 = _errs140 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data69.audience !== undefined){
let data71 = data69.audience;
const _errs142 = errors;
if(errors === _errs142){
if(typeof data71 === "string"){
if(func2(data71) < 1){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/audience",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/audience/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/audience",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/audience/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid18 = _errs142 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data69.stsEndpoint !== undefined){
const _errs144 = errors;
if(typeof data69.stsEndpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/stsEndpoint",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/stsEndpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid18 = _errs144 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data69.stsRegion !== undefined){
const _errs146 = errors;
if(typeof data69.stsRegion !== "string"){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/stsRegion",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/stsRegion/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid18 = _errs146 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data69.durationSeconds !== undefined){
let data74 = data69.durationSeconds;
const _errs148 = errors;
if(!(((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74))) && (isFinite(data74)))){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/durationSeconds",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/durationSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs148){
if((typeof data74 == "number") && (isFinite(data74))){
if(data74 < 0 || isNaN(data74)){
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity/durationSeconds",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/properties/durationSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid18 = _errs148 === errors;
}
else {
var valid18 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0+"/webIdentity",schemaPath:"#/oneOf/0/properties/sourceBuckets/items/properties/webIdentity/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid17 = _errs138 === errors;
}
else {
var valid17 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets/" + i0,schemaPath:"#/oneOf/0/properties/sourceBuckets/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid16 = _errs121 === errors;
if(!valid16){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sourceBuckets",schemaPath:"#/oneOf/0/properties/sourceBuckets/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid7 = _errs119 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.startDeadlineSeconds !== undefined){
let data75 = data.startDeadlineSeconds;
const _errs150 = errors;
if(errors === _errs150){
if((typeof data75 == "number") && (isFinite(data75))){
if(data75 < 0 || isNaN(data75)){
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid7 = _errs150 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.activeDeadlineSeconds !== undefined){
let data76 = data.activeDeadlineSeconds;
const _errs152 = errors;
if(errors === _errs152){
if((typeof data76 == "number") && (isFinite(data76))){
if(data76 < 0 || isNaN(data76)){
validate10.errors = [{instancePath:instancePath+"/activeDeadlineSeconds",schemaPath:"#/oneOf/0/properties/activeDeadlineSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/activeDeadlineSeconds",schemaPath:"#/oneOf/0/properties/activeDeadlineSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid7 = _errs152 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sealingKey !== undefined){
let data77 = data.sealingKey;
const _errs154 = errors;
if(errors === _errs154){
if(typeof data77 === "string"){
if(!pattern2.test(data77)){
validate10.errors = [{instancePath:instancePath+"/sealingKey",schemaPath:"#/oneOf/0/properties/sealingKey/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{43}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{43}$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sealingKey",schemaPath:"#/oneOf/0/properties/sealingKey/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs154 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sharedTarget !== undefined){
const _errs156 = errors;
if(typeof data.sharedTarget !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sharedTarget",schemaPath:"#/oneOf/0/properties/sharedTarget/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs156 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "recover"){
const _errs158 = errors;
if(errors === _errs158){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing8;
if((((((((data.mode === undefined) && (missing8 = "mode")) || ((data.zipJobUid === undefined) && (missing8 = "zipJobUid"))) || ((data.key === undefined) && (missing8 = "key"))) || ((data.attempt === undefined) && (missing8 = "attempt"))) || ((data.since === undefined) && (missing8 = "since"))) || ((data.endedAt === undefined) && (missing8 = "endedAt"))) || ((data.endedAgeSeconds === undefined) && (missing8 = "endedAgeSeconds"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing8},message:"must have required property '"+missing8+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs161 = errors;
if("recover" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/1/properties/mode/const",keyword:"const",params:{allowedValue: "recover"},message:"must be equal to constant"}];
return false;
}
var valid20 = _errs161 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.zipJobUid !== undefined){
let data80 = data.zipJobUid;
const _errs162 = errors;
if(errors === _errs162){
if(typeof data80 === "string"){
if(func2(data80) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/1/properties/zipJobUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/1/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs162 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.key !== undefined){
let data81 = data.key;
const _errs164 = errors;
if(errors === _errs164){
if(typeof data81 === "string"){
if(func2(data81) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs164 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.attempt !== undefined){
let data82 = data.attempt;
const _errs166 = errors;
if(errors === _errs166){
if(typeof data82 === "string"){
if(func2(data82) < 1){
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs166 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.since !== undefined){
let data83 = data.since;
const _errs168 = errors;
if(errors === _errs168){
if(typeof data83 === "string"){
if(!pattern0.test(data83)){
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs168 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.endedAt !== undefined){
let data84 = data.endedAt;
const _errs170 = errors;
if(errors === _errs170){
if(typeof data84 === "string"){
if(!pattern0.test(data84)){
validate10.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/oneOf/1/properties/endedAt/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/oneOf/1/properties/endedAt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs170 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.endedAgeSeconds !== undefined){
let data85 = data.endedAgeSeconds;
const _errs172 = errors;
if(errors === _errs172){
if((typeof data85 == "number") && (isFinite(data85))){
if(data85 < 0 || isNaN(data85)){
validate10.errors = [{instancePath:instancePath+"/endedAgeSeconds",schemaPath:"#/oneOf/1/properties/endedAgeSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/endedAgeSeconds",schemaPath:"#/oneOf/1/properties/endedAgeSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid20 = _errs172 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.bytes !== undefined){
let data86 = data.bytes;
const _errs174 = errors;
if(!(((typeof data86 == "number") && (!(data86 % 1) && !isNaN(data86))) && (isFinite(data86)))){
validate10.errors = [{instancePath:instancePath+"/bytes",schemaPath:"#/oneOf/1/properties/bytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs174){
if((typeof data86 == "number") && (isFinite(data86))){
if(data86 < 0 || isNaN(data86)){
validate10.errors = [{instancePath:instancePath+"/bytes",schemaPath:"#/oneOf/1/properties/bytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid20 = _errs174 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.sharedTarget !== undefined){
const _errs176 = errors;
if(typeof data.sharedTarget !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sharedTarget",schemaPath:"#/oneOf/1/properties/sharedTarget/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid20 = _errs176 === errors;
}
else {
var valid20 = true;
}
if(valid20){
const tag2 = data.uploadState;
if(typeof tag2 == "string"){
if(tag2 === "open"){
const _errs178 = errors;
if(errors === _errs178){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing9;
if(((data.uploadState === undefined) && (missing9 = "uploadState")) || ((data.uploadId === undefined) && (missing9 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing9},message:"must have required property '"+missing9+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data88 = data.uploadState;
const _errs180 = errors;
if(!((data88 === "open") || (data88 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid23 = _errs180 === errors;
}
else {
var valid23 = true;
}
if(valid23){
if(data.uploadId !== undefined){
let data89 = data.uploadId;
const _errs181 = errors;
if(errors === _errs181){
if(typeof data89 === "string"){
if(func2(data89) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid23 = _errs181 === errors;
}
else {
var valid23 = true;
}
if(valid23){
if(data.finish !== undefined){
let data90 = data.finish;
const _errs183 = errors;
if(errors === _errs183){
if(data90 && typeof data90 == "object" && !Array.isArray(data90)){
let missing10;
if((((data90.parts === undefined) && (missing10 = "parts")) || ((data90.partsDigest === undefined) && (missing10 = "partsDigest"))) || ((data90.onConflict === undefined) && (missing10 = "onConflict"))){
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/required",keyword:"required",params:{missingProperty: missing10},message:"must have required property '"+missing10+"'"}];
return false;
}
else {
if(data90.parts !== undefined){
let data91 = data90.parts;
const _errs185 = errors;
if(!(((typeof data91 == "number") && (!(data91 % 1) && !isNaN(data91))) && (isFinite(data91)))){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs185){
if((typeof data91 == "number") && (isFinite(data91))){
if(data91 < 0 || isNaN(data91)){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid24 = _errs185 === errors;
}
else {
var valid24 = true;
}
if(valid24){
if(data90.partsDigest !== undefined){
let data92 = data90.partsDigest;
const _errs187 = errors;
if(errors === _errs187){
if(typeof data92 === "string"){
if(func2(data92) < 1){
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid24 = _errs187 === errors;
}
else {
var valid24 = true;
}
if(valid24){
if(data90.onConflict !== undefined){
let data93 = data90.onConflict;
const _errs189 = errors;
if(!((data93 === "replace") || (data93 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/finish/onConflict",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.finish.properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid24 = _errs189 === errors;
}
else {
var valid24 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid23 = _errs183 === errors;
}
else {
var valid23 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "committing"){
const _errs190 = errors;
if(errors === _errs190){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing11;
if(((data.uploadState === undefined) && (missing11 = "uploadState")) || ((data.uploadId === undefined) && (missing11 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing11},message:"must have required property '"+missing11+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data94 = data.uploadState;
const _errs192 = errors;
if(!((data94 === "open") || (data94 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid26 = _errs192 === errors;
}
else {
var valid26 = true;
}
if(valid26){
if(data.uploadId !== undefined){
let data95 = data.uploadId;
const _errs193 = errors;
if(errors === _errs193){
if(typeof data95 === "string"){
if(func2(data95) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid26 = _errs193 === errors;
}
else {
var valid26 = true;
}
if(valid26){
if(data.finish !== undefined){
let data96 = data.finish;
const _errs195 = errors;
if(errors === _errs195){
if(data96 && typeof data96 == "object" && !Array.isArray(data96)){
let missing12;
if((((data96.parts === undefined) && (missing12 = "parts")) || ((data96.partsDigest === undefined) && (missing12 = "partsDigest"))) || ((data96.onConflict === undefined) && (missing12 = "onConflict"))){
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/required",keyword:"required",params:{missingProperty: missing12},message:"must have required property '"+missing12+"'"}];
return false;
}
else {
if(data96.parts !== undefined){
let data97 = data96.parts;
const _errs197 = errors;
if(!(((typeof data97 == "number") && (!(data97 % 1) && !isNaN(data97))) && (isFinite(data97)))){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs197){
if((typeof data97 == "number") && (isFinite(data97))){
if(data97 < 0 || isNaN(data97)){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid27 = _errs197 === errors;
}
else {
var valid27 = true;
}
if(valid27){
if(data96.partsDigest !== undefined){
let data98 = data96.partsDigest;
const _errs199 = errors;
if(errors === _errs199){
if(typeof data98 === "string"){
if(func2(data98) < 1){
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid27 = _errs199 === errors;
}
else {
var valid27 = true;
}
if(valid27){
if(data96.onConflict !== undefined){
let data99 = data96.onConflict;
const _errs201 = errors;
if(!((data99 === "replace") || (data99 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/finish/onConflict",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.finish.properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid27 = _errs201 === errors;
}
else {
var valid27 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid26 = _errs195 === errors;
}
else {
var valid26 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "unrecorded"){
const _errs202 = errors;
if(errors === _errs202){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing13;
if((data.uploadState === undefined) && (missing13 = "uploadState")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/required",keyword:"required",params:{missingProperty: missing13},message:"must have required property '"+missing13+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
if("unrecorded" !== data.uploadState){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/1/properties/uploadState/const",keyword:"const",params:{allowedValue: "unrecorded"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "uploadState", tagValue: tag2},message:"value of tag \"uploadState\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "tag", tag: "uploadState", tagValue: tag2},message:"tag \"uploadState\" must be string"}];
return false;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "check-bucket"){
const _errs205 = errors;
if(errors === _errs205){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing14;
if((data.mode === undefined) && (missing14 = "mode")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing14},message:"must have required property '"+missing14+"'"}];
return false;
}
else {
if(data.mode !== undefined){
if("check-bucket" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/2/properties/mode/const",keyword:"const",params:{allowedValue: "check-bucket"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "mode", tagValue: tag0},message:"value of tag \"mode\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "mode", tagValue: tag0},message:"tag \"mode\" must be string"}];
return false;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateOwnZipJob = validate11;
const schema12 = {"$id":"validateOwnZipJob","type":"object","required":["metadata","spec"],"properties":{"metadata":{"type":"object","required":["uid"],"properties":{"uid":{"type":"string"}}},"spec":{"type":"object","properties":{"maxAttempts":{"type":"integer"},"sourceBuckets":{"type":"array","items":{"type":"string"}},"files":{"type":"array","items":{"type":"object","required":["url","filename"],"properties":{"url":{"type":"string"},"filename":{"type":"string"},"size":{"type":"integer","minimum":0},"sha256":{"type":"string"},"crc32":{"type":"string"},"contentType":{"type":"string"}}}}}},"status":{"type":"object","properties":{"attempts":{"type":"array","items":{"type":"object","required":["podUid"],"properties":{"podUid":{"type":"string"},"class":{"type":"string"},"exitCode":{"type":"integer"}}}},"progressIntervalSeconds":{"type":"integer","minimum":1},"checkpointed":{"type":"boolean"},"inherits":{"type":"object","required":["uploadId","owner","partSize","checkpoint","resumes"],"properties":{"uploadId":{"type":"string"},"owner":{"type":"string"},"partSize":{"type":"integer","minimum":0},"checkpoint":{"type":"integer","minimum":0},"resumes":{"type":"integer","minimum":0},"adoptedBy":{"type":"string"}}}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateOwnZipJob" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.metadata === undefined) && (missing0 = "metadata")) || ((data.spec === undefined) && (missing0 = "spec"))){
validate11.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.metadata !== undefined){
let data0 = data.metadata;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.uid === undefined) && (missing1 = "uid")){
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.uid !== undefined){
if(typeof data0.uid !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/uid",schemaPath:"#/properties/metadata/properties/uid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.spec !== undefined){
let data2 = data.spec;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.maxAttempts !== undefined){
let data3 = data2.maxAttempts;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate11.errors = [{instancePath:instancePath+"/spec/maxAttempts",schemaPath:"#/properties/spec/properties/maxAttempts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.sourceBuckets !== undefined){
let data4 = data2.sourceBuckets;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs11 = errors;
if(typeof data4[i0] !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/sourceBuckets/" + i0,schemaPath:"#/properties/spec/properties/sourceBuckets/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs11 === errors;
if(!valid3){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/sourceBuckets",schemaPath:"#/properties/spec/properties/sourceBuckets/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.files !== undefined){
let data6 = data2.files;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data6)){
var valid4 = true;
const len1 = data6.length;
for(let i1=0; i1<len1; i1++){
let data7 = data6[i1];
const _errs15 = errors;
if(errors === _errs15){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing2;
if(((data7.url === undefined) && (missing2 = "url")) || ((data7.filename === undefined) && (missing2 = "filename"))){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1,schemaPath:"#/properties/spec/properties/files/items/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data7.url !== undefined){
const _errs17 = errors;
if(typeof data7.url !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/url",schemaPath:"#/properties/spec/properties/files/items/properties/url/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs17 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.filename !== undefined){
const _errs19 = errors;
if(typeof data7.filename !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/filename",schemaPath:"#/properties/spec/properties/files/items/properties/filename/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs19 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.size !== undefined){
let data10 = data7.size;
const _errs21 = errors;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/size",schemaPath:"#/properties/spec/properties/files/items/properties/size/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs21){
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 < 0 || isNaN(data10)){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/size",schemaPath:"#/properties/spec/properties/files/items/properties/size/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs21 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.sha256 !== undefined){
const _errs23 = errors;
if(typeof data7.sha256 !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/sha256",schemaPath:"#/properties/spec/properties/files/items/properties/sha256/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs23 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.crc32 !== undefined){
const _errs25 = errors;
if(typeof data7.crc32 !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/crc32",schemaPath:"#/properties/spec/properties/files/items/properties/crc32/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs25 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.contentType !== undefined){
const _errs27 = errors;
if(typeof data7.contentType !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1+"/contentType",schemaPath:"#/properties/spec/properties/files/items/properties/contentType/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs27 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i1,schemaPath:"#/properties/spec/properties/files/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid4 = _errs15 === errors;
if(!valid4){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files",schemaPath:"#/properties/spec/properties/files/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data14 = data.status;
const _errs29 = errors;
if(errors === _errs29){
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
if(data14.attempts !== undefined){
let data15 = data14.attempts;
const _errs31 = errors;
if(errors === _errs31){
if(Array.isArray(data15)){
var valid7 = true;
const len2 = data15.length;
for(let i2=0; i2<len2; i2++){
let data16 = data15[i2];
const _errs33 = errors;
if(errors === _errs33){
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
let missing3;
if((data16.podUid === undefined) && (missing3 = "podUid")){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i2,schemaPath:"#/properties/status/properties/attempts/items/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data16.podUid !== undefined){
const _errs35 = errors;
if(typeof data16.podUid !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i2+"/podUid",schemaPath:"#/properties/status/properties/attempts/items/properties/podUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs35 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data16.class !== undefined){
const _errs37 = errors;
if(typeof data16.class !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i2+"/class",schemaPath:"#/properties/status/properties/attempts/items/properties/class/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs37 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data16.exitCode !== undefined){
let data19 = data16.exitCode;
const _errs39 = errors;
if(!(((typeof data19 == "number") && (!(data19 % 1) && !isNaN(data19))) && (isFinite(data19)))){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i2+"/exitCode",schemaPath:"#/properties/status/properties/attempts/items/properties/exitCode/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid8 = _errs39 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i2,schemaPath:"#/properties/status/properties/attempts/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs33 === errors;
if(!valid7){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts",schemaPath:"#/properties/status/properties/attempts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid6 = _errs31 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data14.progressIntervalSeconds !== undefined){
let data20 = data14.progressIntervalSeconds;
const _errs41 = errors;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
validate11.errors = [{instancePath:instancePath+"/status/progressIntervalSeconds",schemaPath:"#/properties/status/properties/progressIntervalSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs41){
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 < 1 || isNaN(data20)){
validate11.errors = [{instancePath:instancePath+"/status/progressIntervalSeconds",schemaPath:"#/properties/status/properties/progressIntervalSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid6 = _errs41 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data14.checkpointed !== undefined){
const _errs43 = errors;
if(typeof data14.checkpointed !== "boolean"){
validate11.errors = [{instancePath:instancePath+"/status/checkpointed",schemaPath:"#/properties/status/properties/checkpointed/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid6 = _errs43 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data14.inherits !== undefined){
let data22 = data14.inherits;
const _errs45 = errors;
if(errors === _errs45){
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
let missing4;
if((((((data22.uploadId === undefined) && (missing4 = "uploadId")) || ((data22.owner === undefined) && (missing4 = "owner"))) || ((data22.partSize === undefined) && (missing4 = "partSize"))) || ((data22.checkpoint === undefined) && (missing4 = "checkpoint"))) || ((data22.resumes === undefined) && (missing4 = "resumes"))){
validate11.errors = [{instancePath:instancePath+"/status/inherits",schemaPath:"#/properties/status/properties/inherits/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data22.uploadId !== undefined){
const _errs47 = errors;
if(typeof data22.uploadId !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/uploadId",schemaPath:"#/properties/status/properties/inherits/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid9 = _errs47 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data22.owner !== undefined){
const _errs49 = errors;
if(typeof data22.owner !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/owner",schemaPath:"#/properties/status/properties/inherits/properties/owner/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid9 = _errs49 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data22.partSize !== undefined){
let data25 = data22.partSize;
const _errs51 = errors;
if(!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/partSize",schemaPath:"#/properties/status/properties/inherits/properties/partSize/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs51){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 < 0 || isNaN(data25)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/partSize",schemaPath:"#/properties/status/properties/inherits/properties/partSize/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs51 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data22.checkpoint !== undefined){
let data26 = data22.checkpoint;
const _errs53 = errors;
if(!(((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26))) && (isFinite(data26)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/checkpoint",schemaPath:"#/properties/status/properties/inherits/properties/checkpoint/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs53){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 < 0 || isNaN(data26)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/checkpoint",schemaPath:"#/properties/status/properties/inherits/properties/checkpoint/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs53 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data22.resumes !== undefined){
let data27 = data22.resumes;
const _errs55 = errors;
if(!(((typeof data27 == "number") && (!(data27 % 1) && !isNaN(data27))) && (isFinite(data27)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/resumes",schemaPath:"#/properties/status/properties/inherits/properties/resumes/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs55){
if((typeof data27 == "number") && (isFinite(data27))){
if(data27 < 0 || isNaN(data27)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/resumes",schemaPath:"#/properties/status/properties/inherits/properties/resumes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs55 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data22.adoptedBy !== undefined){
const _errs57 = errors;
if(typeof data22.adoptedBy !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/adoptedBy",schemaPath:"#/properties/status/properties/inherits/properties/adoptedBy/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid9 = _errs57 === errors;
}
else {
var valid9 = true;
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/inherits",schemaPath:"#/properties/status/properties/inherits/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs45 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

export const validateOwnCheckpoint = validate12;
const schema13 = {"$id":"validateOwnCheckpoint","type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["zipJobUid"],"properties":{"zipJobUid":{"type":"string"}}},"status":{"type":"object","required":["sequence","uploadId","owner","plan","records"],"properties":{"sequence":{"type":"integer","minimum":0},"uploadId":{"type":"string"},"owner":{"type":"string"},"plan":{"type":"string"},"records":{"type":"string"}}}}};

function validate12(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateOwnCheckpoint" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.spec === undefined) && (missing0 = "spec")){
validate12.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.spec !== undefined){
let data0 = data.spec;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.zipJobUid === undefined) && (missing1 = "zipJobUid")){
validate12.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.zipJobUid !== undefined){
if(typeof data0.zipJobUid !== "string"){
validate12.errors = [{instancePath:instancePath+"/spec/zipJobUid",schemaPath:"#/properties/spec/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data2 = data.status;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
let missing2;
if((((((data2.sequence === undefined) && (missing2 = "sequence")) || ((data2.uploadId === undefined) && (missing2 = "uploadId"))) || ((data2.owner === undefined) && (missing2 = "owner"))) || ((data2.plan === undefined) && (missing2 = "plan"))) || ((data2.records === undefined) && (missing2 = "records"))){
validate12.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data2.sequence !== undefined){
let data3 = data2.sequence;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate12.errors = [{instancePath:instancePath+"/status/sequence",schemaPath:"#/properties/status/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate12.errors = [{instancePath:instancePath+"/status/sequence",schemaPath:"#/properties/status/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.uploadId !== undefined){
const _errs9 = errors;
if(typeof data2.uploadId !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/uploadId",schemaPath:"#/properties/status/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.owner !== undefined){
const _errs11 = errors;
if(typeof data2.owner !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/owner",schemaPath:"#/properties/status/properties/owner/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.plan !== undefined){
const _errs13 = errors;
if(typeof data2.plan !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.records !== undefined){
const _errs15 = errors;
if(typeof data2.records !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/records",schemaPath:"#/properties/status/properties/records/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate12.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate12.errors = vErrors;
return errors === 0;
}
